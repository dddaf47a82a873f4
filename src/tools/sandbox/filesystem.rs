//! Landlock: what a command may write.
//!
//! Reading and running programs is left alone. Rights that only newer kernels know are asked for and
//! done without; the rights to write, create and remove must be enforced, or nothing runs.

use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, LandlockStatus,
    PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _,
    RulesetError, RulesetStatus, Scope,
};

/// What every kernel that has Landlock enforces.
pub(super) const OLDEST: ABI = ABI::V1;
/// What is asked for beyond that.
pub(super) const NEWEST: ABI = ABI::V9;

/// Devices that keep nothing. `/dev/tty` cannot be opened: commands have no terminal.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// What this kernel's Landlock leaves open, for [`super::syscalls`] to close.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gaps {
    /// Files may be emptied without being opened for writing. Before Linux 6.2.
    pub(super) truncation: bool,
    /// Any process of the user may be signalled. Before Linux 6.12.
    pub(super) signals: bool,
}

/// Lets this process, and whatever it becomes and starts, write below `folders` only. Nothing is
/// asked for that is newer than `newest`.
pub(super) fn restrict(folders: &[&Path], newest: ABI) -> Result<Gaps, String> {
    let status = ruleset(folders, newest).and_then(|ruleset| ruleset.restrict_self());
    let status = status.map_err(|error| error.to_string())?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err("the kernel does not enforce Landlock".to_owned());
    }
    match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => {
            let version = effective_abi.min(newest);
            Ok(Gaps { truncation: version < ABI::V3, signals: version < ABI::V6 })
        }
        _ => Err("the kernel does not have Landlock".to_owned()),
    }
}

fn ruleset(folders: &[&Path], newest: ABI) -> Result<RulesetCreated, RulesetError> {
    let write = AccessFs::from_write(newest);
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(OLDEST))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(write)?;
    // There is no asking for nothing.
    if !AccessNet::from_all(newest).is_empty() {
        ruleset = ruleset.handle_access(AccessNet::from_all(newest))?;
    }
    if !Scope::from_all(newest).is_empty() {
        ruleset = ruleset.scope(Scope::from_all(newest))?;
    }
    let mut ruleset = ruleset.create()?;
    let below: BitFlags<AccessFs> = write & !AccessFs::ResolveUnix;
    for folder in folders {
        ruleset = allow(ruleset, folder, below)?;
    }
    for device in DEVICES.iter().map(Path::new) {
        ruleset = allow(ruleset, device, below & AccessFs::from_file(newest))?;
    }
    Ok(ruleset)
}

/// Allows `access` below `path`, if it is there.
fn allow(
    ruleset: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    match PathFd::new(path) {
        Ok(parent) => ruleset.add_rule(PathBeneath::new(parent, access)),
        Err(_) => Ok(ruleset),
    }
}
