//! The supervisor: starts a command, watches what it uses, and outlives everything it started.
//!
//! It reads nothing the command writes and waits for nobody: the command has its standard input and
//! output as agentctl made them. Standard error is a socket to agentctl; when that ends, everything
//! ends.

use std::{
    ffi::OsString,
    fs::{self, DirBuilder, Permissions},
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::{
            fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _},
            net::UnixStream,
        },
    },
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use close_fds::set_fds_cloexec;
use nix::{
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sys::{
        prctl,
        signal::{SigSet, Signal},
        signalfd::{SfdFlags, SignalFd},
        statvfs::statvfs,
        wait::WaitStatus,
    },
    unistd::{Pid, getpgid, getpid, getppid, setsid},
};
use serde::{Serialize, de::DeserializeOwned};
use walkdir::WalkDir;

use super::{
    Backend, HELPER, Mode, bubblewrap, confine,
    policy::{Confinement, Ending, Limit, Policy, Word},
    tree,
};

/// The files after standard input, output and error.
const FIRST_INHERITED: i32 = 3;
/// How often it looks at what a command uses.
const TICK: Duration = Duration::from_millis(100);
/// No command takes longer, and no clock overflows.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// More temporary files than these are too many, however small.
const MAX_TEMPORARY_FILES: usize = 100_000;
/// Most of what the process that shuts itself in says is read.
const MAX_WORDS: u64 = 64 << 10;

/// Does what agentctl asks over standard error.
pub(super) fn main() -> ExitCode {
    let done = control().and_then(|control| {
        let policy: Policy = receive(&control)?;
        let ending = supervise(&policy, &control)
            .unwrap_or_else(|error| Ending::Unconfined(format!("no supervisor: {error}")));
        // Whoever asked may be gone.
        send(&control, &ending)
    });
    if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The socket to whoever started this process.
pub(super) fn control() -> io::Result<UnixStream> {
    Ok(UnixStream::from(io::stderr().as_fd().try_clone_to_owned()?))
}

/// One message.
pub(super) fn receive<T: DeserializeOwned>(mut from: &UnixStream) -> io::Result<T> {
    let mut line = Vec::new();
    BufReader::new(&mut from).read_until(b'\n', &mut line)?;
    Ok(serde_json::from_slice(&line)?)
}

/// Sends one message.
pub(super) fn send(mut to: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    to.write_all(&line)
}

fn supervise(policy: &Policy, control: &UnixStream) -> io::Result<Ending> {
    let agentctl = getppid();
    // Whatever agentctl was started with open, perhaps for writing, is not the command's.
    set_fds_cloexec(FIRST_INHERITED, &[]);
    // Away from the terminal, and from every process group there is.
    setsid()?;
    prctl::set_child_subreaper(true)?;
    // Whoever wants an end of this, ends agentctl.
    let signals = [Signal::SIGCHLD, Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT];
    signals.into_iter().chain([Signal::SIGTERM]).collect::<SigSet>().thread_block()?;
    let children = SigSet::from(Signal::SIGCHLD);
    let children = SignalFd::with_flags(&children, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;

    let temporary = Temporary::create(Path::new(&policy.temporary))?;
    let (ours, theirs) = UnixStream::pair()?;
    let child = start(policy, &temporary, theirs)?;
    let confinement = Confinement {
        policy: policy.clone(),
        temporary: temporary.0.clone().into_os_string(),
        guarded: guarded(agentctl),
    };
    // If it died before it could read this, its end says more.
    send(&ours, &confinement).ok();
    let ending = watch(policy, &temporary, control, &children, child);
    tree::end();
    Ok(match ending? {
        ending @ (Ending::Exited(_) | Ending::Signalled(_)) => judged(ending, &ours),
        ending => ending,
    })
}

/// What the command must not signal: this process and agentctl, as processes and as groups, nor
/// everything at once.
fn guarded(agentctl: Pid) -> Vec<i32> {
    let own = getpid().as_raw();
    let group = getpgid(Some(agentctl)).map_or(0, Pid::as_raw);
    let mut guarded = vec![-1, own, -own, agentctl.as_raw(), -group];
    guarded.retain(|target| *target != 0);
    guarded.dedup();
    guarded
}

/// Starts the process that shuts itself in, by itself or inside of bubblewrap.
fn start(policy: &Policy, temporary: &Temporary, theirs: UnixStream) -> io::Result<Pid> {
    let shut_in = policy.mode != Mode::DangerFullAccess;
    let mut command = if shut_in && policy.backend == Backend::Bubblewrap {
        let mut command = Command::new(&policy.bubblewrap);
        command.args(bubblewrap::arguments(policy, &temporary.0));
        // There, `/proc/self/exe` would be bubblewrap.
        command.arg(std::env::current_exe()?);
        command
    } else {
        Command::new("/proc/self/exe")
    };
    command
        .args([HELPER, confine::STAGE])
        .env("TMPDIR", &temporary.0)
        .stderr(Stdio::from(OwnedFd::from(theirs)));
    let child = command.spawn()?;
    Ok(Pid::from_raw(child.id().cast_signed()))
}

/// Waits for `child` to end, or for a reason to end it.
fn watch(
    policy: &Policy,
    temporary: &Temporary,
    control: &UnixStream,
    children: &SignalFd,
    child: Pid,
) -> io::Result<Ending> {
    let began = Instant::now();
    let time_limit = Duration::from_millis(policy.time_limit_ms).min(FOREVER);
    let mut meter = Meter::new(policy, temporary);
    let mut next_tick = began + TICK;
    loop {
        let now = Instant::now();
        let wake = next_tick.min(began + time_limit).saturating_duration_since(now);
        let wake =
            PollTimeout::try_from(wake + Duration::from_millis(1)).unwrap_or(PollTimeout::ZERO);
        let mut ready = [
            PollFd::new(control.as_fd(), PollFlags::POLLIN),
            PollFd::new(children.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut ready, wake) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        if ready[0].any().unwrap_or(false) && is_over(control) {
            return Ok(Ending::Abandoned);
        }
        while let Ok(Some(_)) = children.read_signal() {}
        if let Some(status) = tree::reap(child).child {
            return Ok(ending(status));
        }
        if began.elapsed() >= time_limit {
            return Ok(Ending::TimedOut);
        }
        if Instant::now() >= next_tick {
            if let Some(limit) = meter.exceeded() {
                return Ok(Ending::OverLimit(limit));
            }
            next_tick = Instant::now() + TICK;
        }
    }
}

/// Whether nobody is at the other end any more. Nothing is said after the policy.
fn is_over(mut control: &UnixStream) -> bool {
    !matches!(control.read(&mut [0; 64]), Ok(1..))
}

fn ending(status: WaitStatus) -> Ending {
    match status {
        WaitStatus::Exited(_, code) => Ending::Exited(code),
        WaitStatus::Signaled(_, signal, _) => Ending::Signalled(signal as i32),
        // Not asked for, so never seen.
        _ => Ending::Signalled(0),
    }
}

/// How a process ended says how the command did only if it became the command.
fn judged(ending: Ending, words: &UnixStream) -> Ending {
    let mut said = String::new();
    // Nobody is left who could say more, so this ends.
    words.take(MAX_WORDS).read_to_string(&mut said).ok();
    let mut confined = false;
    for line in said.lines() {
        match serde_json::from_str(line) {
            Ok(Word::Confined) => confined = true,
            Ok(Word::Unconfined(why)) => return Ending::Unconfined(why),
            Ok(Word::NotStarted(why)) => return Ending::NotStarted(why),
            // Bubblewrap's own messages.
            Err(_) => {}
        }
    }
    if confined { ending } else { Ending::Unconfined(said.trim().to_owned()) }
}

/// The private folder for temporary files. Dropping it removes it.
#[derive(Debug)]
struct Temporary(PathBuf);

impl Temporary {
    fn create(parent: &Path) -> io::Result<Self> {
        loop {
            let path = parent.join(format!("agentctl-{:016x}", fastrand::u64(..)));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Bytes on the disk; nothing if there are too many files to count.
    fn size(&self) -> Option<u64> {
        let mut size = 0;
        for (count, entry) in WalkDir::new(&self.0).into_iter().enumerate() {
            if count > MAX_TEMPORARY_FILES {
                return None;
            }
            // Files vanish while one looks.
            let metadata = entry.and_then(|entry| entry.metadata());
            size += metadata.map_or(0, |metadata| metadata.blocks() * 512);
        }
        Some(size)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if fs::remove_dir_all(&self.0).is_err() {
            // The command may have locked its folders, and they are ours.
            for entry in WalkDir::new(&self.0).into_iter().flatten() {
                if entry.file_type().is_dir() {
                    fs::set_permissions(entry.path(), Permissions::from_mode(0o700)).ok();
                }
            }
            fs::remove_dir_all(&self.0).ok();
        }
    }
}

/// Looks whether a command uses too much.
struct Meter<'p> {
    policy: &'p Policy,
    temporary: &'p Temporary,
    /// The disks a command may write to, with what was free when it began.
    disks: Vec<(OsString, u64)>,
    /// Counting files is put off until it has taken a tenth of the time.
    count_again: Instant,
}

impl<'p> Meter<'p> {
    fn new(policy: &'p Policy, temporary: &'p Temporary) -> Self {
        let disks = [temporary.0.clone().into_os_string(), policy.root.clone()];
        let disks = disks.into_iter().map(|path| (free_space(&path), path));
        let disks = disks.map(|(free, path)| (path, free.unwrap_or(0))).collect();
        Self { policy, temporary, disks, count_again: Instant::now() }
    }

    /// The limit that was exceeded.
    fn exceeded(&mut self) -> Option<Limit> {
        if self.policy.mode == Mode::DangerFullAccess {
            return None;
        }
        let limits = &self.policy.limits;
        let used = tree::usage();
        if used.memory > limits.memory {
            return Some(Limit::Memory);
        }
        if used.processes > limits.processes || used.threads > limits.processes * 8 {
            return Some(Limit::Processes);
        }
        // A disk that was full before is not this command's doing.
        let filled = |(path, before): &(OsString, u64)| {
            free_space(path).is_some_and(|free| free < limits.free_space && free < *before)
        };
        if self.disks.iter().any(filled) {
            return Some(Limit::FreeSpace);
        }
        self.too_many_files().then_some(Limit::TemporaryFiles)
    }

    fn too_many_files(&mut self) -> bool {
        let began = Instant::now();
        if began < self.count_again {
            return false;
        }
        let size = self.temporary.size();
        self.count_again = Instant::now() + began.elapsed() * 10;
        size.is_none_or(|size| size > self.policy.limits.temporary_files)
    }
}

/// Bytes free on the disk `path` is on.
fn free_space(path: &OsString) -> Option<u64> {
    let disk = statvfs(Path::new(path)).ok()?;
    Some(disk.blocks_available() as u64 * disk.fragment_size() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_folder_is_removed_all_the_same() {
        let parent = tempfile::tempdir().unwrap();
        let temporary = Temporary::create(parent.path()).unwrap();
        let inner = temporary.0.join("locked");
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("file"), "x").unwrap();
        fs::set_permissions(&inner, Permissions::from_mode(0o000)).unwrap();
        assert!(temporary.size().unwrap() > 0);
        drop(temporary);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_process_that_never_said_it_is_shut_in_did_not_run_the_command() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (&theirs).write_all(b"bwrap: no permissions\n").unwrap();
        drop(theirs);
        let ending = judged(Ending::Exited(0), &ours);
        assert_eq!(ending, Ending::Unconfined("bwrap: no permissions".to_owned()));
    }

    #[test]
    fn it_is_over_when_the_other_end_is_closed() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(theirs);
        assert!(is_over(&ours));
    }
}
