//! The process that shuts itself in and then becomes the command.
//!
//! It is told what to do over standard error, and says there what became of it; the command's own
//! standard error is its standard output.

use std::{
    env, io,
    os::{
        fd::AsFd as _,
        unix::{net::UnixStream, process::CommandExt as _},
    },
    path::Path,
    process::{Command, ExitCode, Stdio},
};

use nix::sys::{
    prctl,
    resource::{Resource, getrlimit, setrlimit},
    signal::{SigSet, Signal},
};

use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

use super::{
    Backend, Limits, Mode,
    filesystem::{self, Gaps, NEWEST, OLDEST},
    policy::{Confinement, Policy, Word},
    supervise::{control, receive, send},
    syscalls,
};

/// The argument that makes a helper do this.
pub(super) const STAGE: &str = "confine";

/// What is left of root's privileges: working on other people's files. The others read and signal
/// any process, load modules, and raise limits.
const PRIVILEGES: CapabilitySet =
    CapabilitySet::DAC_OVERRIDE.union(CapabilitySet::DAC_READ_SEARCH).union(CapabilitySet::FOWNER);

/// Becomes the command the supervisor names, or says why not.
pub(super) fn main() -> ExitCode {
    let Ok(control) = control() else { return ExitCode::FAILURE };
    let word = receive(&control)
        .map_err(|error: io::Error| error.to_string())
        .and_then(|confinement| confine(&confinement).map(|()| confinement));
    let word = match word {
        Ok(Confinement { policy, .. }) => become_command(&policy, &control),
        Err(why) => Word::Unconfined(why),
    };
    // A supervisor that is gone has killed this process, or is about to.
    send(&control, &word).ok();
    ExitCode::FAILURE
}

/// Gives up what the command must not have. In order: the last step leaves nothing to do the others
/// with.
fn confine(confinement: &Confinement) -> Result<(), String> {
    // Should anything ever kill the supervisor.
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(|error| error.to_string())?;
    // The supervisor's own deafness is not the command's: it must be able to end what it starts.
    SigSet::all().thread_unblock().map_err(|error| error.to_string())?;
    let policy = &confinement.policy;
    if policy.mode == Mode::DangerFullAccess {
        return Ok(());
    }
    limit(&policy.limits).map_err(|error| format!("cannot set limits: {error}"))?;
    let gaps = restrict(policy, Path::new(&confinement.temporary))?;
    prctl::set_no_new_privs().map_err(|error| error.to_string())?;
    give_up_privileges().map_err(|error| format!("cannot give up privileges: {error}"))?;
    let filter = syscalls::Filter {
        gaps,
        guarded: &confinement.guarded,
        // Mounts protect what Landlock does not.
        metadata: (policy.backend != Backend::Bubblewrap).then_some(policy.mode),
    };
    filter.apply().map_err(|why| format!("cannot filter system calls: {why}"))
}

/// Nothing raises a limit again.
fn limit(limits: &Limits) -> nix::Result<()> {
    let limits = [
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_FSIZE, limits.file_size),
        (Resource::RLIMIT_DATA, limits.data),
        (Resource::RLIMIT_NOFILE, limits.open_files),
    ];
    for (resource, most) in limits {
        let (_, hard) = getrlimit(resource)?;
        setrlimit(resource, most.min(hard), most.min(hard))?;
    }
    Ok(())
}

/// Becoming another program does not bring them back, now that there are no new privileges.
fn give_up_privileges() -> rustix::io::Result<()> {
    let mut sets = capabilities(None)?;
    sets.effective &= PRIVILEGES;
    sets.permitted &= PRIVILEGES;
    sets.inheritable &= PRIVILEGES;
    set_capabilities(None, sets)
}

/// Applies Landlock, which bubblewrap can do without.
fn restrict(policy: &Policy, temporary: &Path) -> Result<Gaps, String> {
    let folders: &[&Path] = match policy.mode {
        Mode::WorkspaceWrite => &[temporary, Path::new(&policy.root)],
        Mode::ReadOnly | Mode::DangerFullAccess => &[temporary],
    };
    match policy.backend {
        Backend::Landlock => filesystem::restrict(folders, NEWEST),
        Backend::FirstLandlock => filesystem::restrict(folders, OLDEST),
        // Its mounts and its process numbers of its own leave no gaps.
        Backend::Bubblewrap => {
            filesystem::restrict(folders, NEWEST).ok();
            Ok(Gaps::default())
        }
        Backend::Strongest | Backend::NoneAvailable => {
            Err("the kernel does not have Landlock".to_owned())
        }
    }
}

/// Returns only if there is no such command.
fn become_command(policy: &Policy, control: &UnixStream) -> Word {
    if let Err(error) = env::set_current_dir(Path::new(&policy.workdir)) {
        return Word::NotStarted(format!("cannot work there: {error}"));
    }
    let output = match io::stdout().as_fd().try_clone_to_owned() {
        Ok(output) => output,
        Err(error) => return Word::Unconfined(error.to_string()),
    };
    if let Err(error) = send(control, &Word::Confined) {
        return Word::Unconfined(error.to_string());
    }
    let error = Command::new(&policy.program).args(&policy.args).stderr(Stdio::from(output)).exec();
    Word::NotStarted(error.to_string())
}
