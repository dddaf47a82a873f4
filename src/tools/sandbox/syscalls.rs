//! Seccomp: system calls a command cannot make.
//!
//! A list of what is denied, not of what is allowed: commands are compilers, test runners and
//! interpreters, and need whatever their kernel has. What is denied fails with `EPERM`; programs for
//! another architecture, whose calls have other numbers, are killed.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter,
};

use super::{Mode, filesystem::Gaps};

/// Reaching the network, daemons through their sockets, other processes, the kernel itself, and
/// namespaces in which there is more to reach.
const DENIED: &[libc::c_long] = &[
    // Sockets of every family: the local ones lead to Docker and to D-Bus. Pairs are allowed below.
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    // Does what other calls do, past every filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // Namespaces and mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    // The kernel.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // The machine, which matters when root runs agentctl.
    libc::SYS_acct,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
];

/// Changes who owns files outside of what Landlock watches, and what is noted on them.
const OWNERSHIP: &[libc::c_long] = &[
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    // Of the same kind and without a name yet: `setxattrat`, `removexattrat`, `file_setattr`.
    463,
    466,
    469,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
];

/// Changes permissions and times, which work below the root may need.
const PERMISSIONS: &[libc::c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_utimensat,
    // `fchmodat2`.
    452,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];

/// New namespaces a `clone` could ask for.
const NAMESPACES: &[libc::c_int] = &[
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// What to deny besides.
#[derive(Debug)]
pub(super) struct Filter<'a> {
    pub(super) gaps: Gaps,
    /// What must not be signalled.
    pub(super) guarded: &'a [i32],
    /// The mode, if nothing else keeps the metadata of files outside.
    pub(super) metadata: Option<Mode>,
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

impl Filter<'_> {
    /// Denies them to this process and whatever it becomes and starts.
    pub(super) fn apply(&self) -> Result<(), String> {
        for program in self.programs().map_err(|error| error.to_string())? {
            apply_filter(&program).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Two filters, for each has one answer: `EPERM`, and `ENOSYS` where libraries then use an older
    /// call whose arguments can be looked at.
    fn programs(&self) -> Result<[BpfProgram; 2], BackendError> {
        let mut newer = Rules::from([(libc::SYS_clone3, Vec::new())]);
        if self.gaps.truncation {
            newer.insert(libc::SYS_openat2, Vec::new());
        }
        Ok([compile(self.denied()?, libc::EPERM)?, compile(newer, libc::ENOSYS)?])
    }

    fn denied(&self) -> Result<Rules, BackendError> {
        let mut rules: Rules = DENIED.iter().map(|number| (*number, Vec::new())).collect();
        let mut deny = |numbers: &[libc::c_long]| {
            rules.extend(numbers.iter().map(|number| (*number, Vec::new())));
        };
        if self.metadata.is_some() {
            deny(OWNERSHIP);
        }
        if self.metadata == Some(Mode::ReadOnly) {
            deny(PERMISSIONS);
        }
        rules.extend(conditional()?);
        if self.gaps.truncation {
            rules.extend(truncation()?);
        }
        if self.gaps.signals {
            rules.extend(signals(self.guarded)?);
        }
        Ok(rules)
    }
}

/// Calls that are denied with some arguments.
fn conditional() -> Result<Rules, BackendError> {
    let namespaces = NAMESPACES.iter().map(|flag| rule([has(0, flag.cast_unsigned().into())?]));
    let ioctls = [libc::TIOCSTI, libc::TIOCLINUX];
    let ioctls = ioctls.iter().map(|request| rule([is(1, low(*request))?]));
    Ok(Rules::from([
        (libc::SYS_clone, namespaces.collect::<Result<_, _>>()?),
        // Typing for the user.
        (libc::SYS_ioctl, ioctls.collect::<Result<_, _>>()?),
        (
            libc::SYS_socketpair,
            vec![
                rule([is_not(0, libc::AF_UNIX.cast_unsigned().into())?])?,
                // Half of such a pair could be pointed at any local socket.
                rule([masked(1, 0xf, libc::SOCK_DGRAM.cast_unsigned().into())?])?,
                rule([masked(1, 0xf, libc::SOCK_RAW.cast_unsigned().into())?])?,
            ],
        ),
        // To an address, instead of to the other end.
        (libc::SYS_sendto, vec![rule([is_set(4)?])?]),
        // The limits of another process: the supervisor's could be set to nothing.
        (libc::SYS_prlimit64, vec![rule([is_not(0, 0)?, is_set(2)?])?]),
    ]))
}

/// Emptying files that cannot be written.
fn truncation() -> Result<Rules, BackendError> {
    let flags = (libc::O_TRUNC | libc::O_ACCMODE).cast_unsigned().into();
    let empties = libc::O_TRUNC.cast_unsigned().into();
    Ok(Rules::from([
        (libc::SYS_truncate, Vec::new()),
        (libc::SYS_openat, vec![rule([masked(2, flags, empties)?])?]),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, vec![rule([masked(1, flags, empties)?])?]),
    ]))
}

/// Signals for the supervisor and agentctl. Other processes of the user are not protected by this.
fn signals(guarded: &[i32]) -> Result<Rules, BackendError> {
    let to_any = |argument: u8| -> Result<Vec<SeccompRule>, BackendError> {
        guarded.iter().map(|target| rule([is(argument, target.cast_unsigned().into())?])).collect()
    };
    Ok(Rules::from([
        (libc::SYS_kill, to_any(0)?),
        (libc::SYS_tkill, to_any(0)?),
        (libc::SYS_tgkill, to_any(0)?),
        (libc::SYS_rt_sigqueueinfo, to_any(0)?),
        (libc::SYS_rt_tgsigqueueinfo, to_any(0)?),
        // Says nothing of whom it is for.
        (libc::SYS_pidfd_send_signal, Vec::new()),
    ]))
}

fn rule<const N: usize>(conditions: [SeccompCondition; N]) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(conditions.into())
}

/// Whether the lower half of an argument is `value`: the kernel looks at no more of an `int`.
fn is(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
}

/// Whether a pointer points anywhere.
fn is_set(argument: u8) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)
}

fn has(argument: u8, flag: u64) -> Result<SeccompCondition, BackendError> {
    masked(argument, flag, flag)
}

fn masked(argument: u8, mask: u64, value: u64) -> Result<SeccompCondition, BackendError> {
    let operator = SeccompCmpOp::MaskedEq(mask);
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
}

/// The lower half of a request number, whose type differs from one C library to the other.
fn low(request: libc::Ioctl) -> u64 {
    u64::from(request as u32)
}

fn compile(mut rules: Rules, errno: i32) -> Result<BpfProgram, BackendError> {
    other_numbers(&mut rules);
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let answer = SeccompAction::Errno(errno.cast_unsigned());
    SeccompFilter::new(rules, SeccompAction::Allow, answer, arch)?.try_into()
}

/// On x86-64 a kernel may take each call under a second number, with short pointers.
#[cfg(target_arch = "x86_64")]
fn other_numbers(rules: &mut Rules) {
    const SHORT_POINTERS: i64 = 0x4000_0000;
    /// Calls that have a number of their own there.
    const OWN: std::ops::RangeInclusive<i64> = 512..=547;
    let again: Rules =
        rules.iter().map(|(number, rules)| (number | SHORT_POINTERS, rules.clone())).collect();
    rules.extend(again);
    rules.extend(OWN.map(|number| (number | SHORT_POINTERS, Vec::new())));
}

#[cfg(not(target_arch = "x86_64"))]
fn other_numbers(_rules: &mut Rules) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filter_fits_into_the_kernel() {
        /// `BPF_MAXINSNS`.
        const MOST: usize = 4_096;
        for gaps in [Gaps::default(), Gaps { truncation: true, signals: true }] {
            for metadata in [None, Some(Mode::WorkspaceWrite), Some(Mode::ReadOnly)] {
                let filter = Filter { gaps, guarded: &[-1, 17, -17, 18, -18], metadata };
                assert!(filter.programs().unwrap().iter().all(|program| program.len() < MOST));
            }
        }
    }

    #[test]
    fn metadata_is_protected_where_mounts_do_not() {
        let denies = |metadata, number| {
            let filter = Filter { gaps: Gaps::default(), guarded: &[], metadata };
            filter.denied().unwrap().contains_key(&number)
        };
        assert!(denies(Some(Mode::ReadOnly), libc::SYS_fchmodat));
        assert!(denies(Some(Mode::WorkspaceWrite), libc::SYS_fchownat));
        assert!(!denies(Some(Mode::WorkspaceWrite), libc::SYS_fchmodat));
        assert!(!denies(None, libc::SYS_fchownat));
    }
}
