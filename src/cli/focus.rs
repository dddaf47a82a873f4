//! Whether this process's terminal has the focus, as far as it says so.
//!
//! While that is watched, the terminal neither echoes nor collects lines; Ctrl-C and Ctrl-Z work as
//! before. However the watch ends, the terminal is as it was.

use std::{
    fs::File,
    io::{self, Read as _, Write as _},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use rustix::{
    process::{getpgrp, getpid, kill_process},
    termios::{
        LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr,
    },
};
use tokio::{
    runtime::Runtime,
    signal::unix::{Signal, SignalKind, signal},
};
use tokio_util::sync::CancellationToken;

/// How often the terminal is read.
const TICK: Duration = Duration::from_millis(50);

const ASK_FOR_REPORTS: &[u8] = b"\x1b[?1004h";
const ASK_FOR_NO_REPORTS: &[u8] = b"\x1b[?1004l";

/// Watches the focus until it is dropped.
#[derive(Debug)]
pub(super) struct Focus {
    known: Arc<Known>,
    stop: CancellationToken,
    watcher: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Known {
    focused: AtomicBool,
    cancelled: AtomicBool,
}

impl Focus {
    /// Watches the terminal of this process, if it has one and is in its foreground. From here on
    /// signals end nothing by themselves.
    pub fn watch() -> Option<Self> {
        // Once signals are heard here they end nothing else, so that is not tried in vain.
        terminal()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        // Whoever stops this process must find the terminal as it was.
        let signals = Signals::listen(&runtime).ok()?;
        let quiet = Quiet::begin();
        let (known, stop) = (Arc::<Known>::default(), CancellationToken::new());
        let watch = watch(quiet, signals, Arc::clone(&known), stop.clone());
        let watcher = thread::Builder::new().spawn(move || runtime.block_on(watch)).ok()?;
        Some(Self { known, stop, watcher: Some(watcher) })
    }

    /// Whether the terminal has said that it has the focus.
    pub fn is_focused(&self) -> bool {
        self.known.focused.load(Ordering::Relaxed)
    }

    /// Whether someone asked this process to end.
    pub fn is_cancelled(&self) -> bool {
        self.known.cancelled.load(Ordering::Relaxed)
    }
}

impl Drop for Focus {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(watcher) = self.watcher.take() {
            watcher.join().ok();
        }
    }
}

async fn watch(
    mut quiet: Option<Quiet>,
    mut signals: Signals,
    known: Arc<Known>,
    stop: CancellationToken,
) {
    let mut reports = Reports::default();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            asked = signals.next() => match asked {
                Asked::End => {
                    drop(quiet);
                    known.cancelled.store(true, Ordering::Relaxed);
                    return;
                }
                Asked::Suspend => {
                    drop(quiet.take());
                    known.focused.store(false, Ordering::Relaxed);
                    kill_process(getpid(), rustix::process::Signal::STOP).ok();
                    signals.resume.recv().await;
                }
            },
            () = tokio::time::sleep(TICK) => match &mut quiet {
                Some(quiet) => {
                    if let Some(focused) = reports.take(&quiet.read()) {
                        known.focused.store(focused, Ordering::Relaxed);
                    }
                }
                None => quiet = Quiet::begin(),
            },
        }
    }
}

/// What others can ask of this process.
enum Asked {
    End,
    Suspend,
}

/// Hears what others ask of this process.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
    suspend: Signal,
    resume: Signal,
}

impl Signals {
    fn listen(runtime: &Runtime) -> io::Result<Self> {
        let _within = runtime.enter();
        let kind = |signal: rustix::process::Signal| SignalKind::from_raw(signal.as_raw());
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            suspend: signal(kind(rustix::process::Signal::TSTP))?,
            resume: signal(kind(rustix::process::Signal::CONT))?,
        })
    }

    async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.interrupt.recv() => Asked::End,
            _ = self.terminate.recv() => Asked::End,
            _ = self.hang_up.recv() => Asked::End,
            _ = self.suspend.recv() => Asked::Suspend,
        }
    }
}

/// While it lives, the terminal is quiet and reports its focus.
struct Quiet {
    terminal: File,
    before: Termios,
}

impl Quiet {
    fn begin() -> Option<Self> {
        let mut terminal = terminal()?;
        let before = tcgetattr(&terminal).ok()?;
        let mut modes = before.clone();
        modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        // Reading returns at once, with or without anything.
        modes.special_codes[SpecialCodeIndex::VMIN] = 0;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&terminal, OptionalActions::Now, &modes).ok()?;
        terminal.write_all(ASK_FOR_REPORTS).ok();
        Some(Self { terminal, before })
    }

    /// What has come from the terminal.
    fn read(&mut self) -> Vec<u8> {
        let mut bytes = [0; 256];
        // Whoever reads in the background is stopped.
        if !is_foreground(&self.terminal) {
            return Vec::new();
        }
        let count = self.terminal.read(&mut bytes).unwrap_or(0);
        bytes[..count].to_vec()
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        if is_foreground(&self.terminal) {
            self.terminal.write_all(ASK_FOR_NO_REPORTS).ok();
            // A report that is still on its way is nothing anyone typed.
            tcsetattr(&self.terminal, OptionalActions::Flush, &self.before).ok();
        }
    }
}

/// The terminal of this process, if it has one and may read from it.
fn terminal() -> Option<File> {
    let terminal = File::options().read(true).write(true).open("/dev/tty").ok()?;
    is_foreground(&terminal).then_some(terminal)
}

fn is_foreground(terminal: &File) -> bool {
    tcgetpgrp(terminal).is_ok_and(|group| group == getpgrp())
}

/// Finds reports in what comes from a terminal, however it is cut.
#[derive(Debug, Default)]
struct Reports {
    /// How much of `ESC [` stands at the end.
    begun: usize,
}

impl Reports {
    /// What the last report in `bytes` says.
    fn take(&mut self, bytes: &[u8]) -> Option<bool> {
        let mut focused = None;
        for byte in bytes {
            self.begun = match (self.begun, byte) {
                (_, b'\x1b') => 1,
                (1, b'[') => 2,
                (2, b'I') => {
                    focused = Some(true);
                    0
                }
                (2, b'O') => {
                    focused = Some(false);
                    0
                }
                _ => 0,
            };
        }
        focused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_found_however_they_are_cut() {
        let mut reports = Reports::default();
        assert_eq!(reports.take(b"ls\r[I"), None);
        assert_eq!(reports.take(b"\x1b[A\x1b["), None);
        assert_eq!(reports.take(b"I"), Some(true));
        assert_eq!(reports.take(b"\x1b"), None);
        assert_eq!(reports.take(b"[Ox"), Some(false));
        assert_eq!(reports.take(b"\x1b\x1b[O\x1b[I"), Some(true));
    }
}
