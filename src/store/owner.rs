//! Who runs a thread, and whether they still do.

use std::{fmt, fs, str::FromStr, time::Duration};

/// How often an owner says that it is alive.
pub const HEARTBEAT: Duration = Duration::from_secs(10);

/// Where processes cannot be looked at, an owner that has been silent for this long is dead.
const SILENCE: Duration = Duration::from_secs(30);

/// A process: its number, when it began, and since when the machine runs. Numbers are used again,
/// all three together are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    pid: u32,
    started: u64,
    boot: String,
}

impl Owner {
    /// This process.
    pub fn this_process() -> Self {
        let pid = std::process::id();
        Self { pid, started: started(pid).unwrap_or_default(), boot: boot() }
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether it still runs, `silent_for` that long after its last sign of life. A process that
    /// only sleeps, with its machine or without, is alive.
    pub fn is_alive(&self, silent_for: Duration) -> bool {
        if !fs::exists("/proc/self/stat").unwrap_or(false) {
            return silent_for < SILENCE;
        }
        self.boot == boot() && started(self.pid) == Some(self.started)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.pid, self.started, self.boot)
    }
}

impl FromStr for Owner {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.splitn(3, ':');
        let mut next = || parts.next().ok_or(());
        Ok(Self {
            pid: next()?.parse().map_err(|_| ())?,
            started: next()?.parse().map_err(|_| ())?,
            boot: next()?.to_owned(),
        })
    }
}

/// When a process began, in ticks since the machine started. A dead process nobody has asked about
/// is dead.
fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program is in parentheses, and may contain anything.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    (state != "Z" && state != "X").then(|| fields.nth(18)?.parse().ok())?
}

fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_alive_as_long_as_it_is_the_same_one() {
        let me = Owner::this_process();
        assert!(me.is_alive(Duration::ZERO));
        assert!(me.is_alive(SILENCE), "it may sleep");
        let again: Owner = me.to_string().parse().unwrap();
        assert_eq!(me, again);
        let other = Owner { started: me.started + 1, ..me.clone() };
        assert!(!other.is_alive(Duration::ZERO), "the number was used again");
        let before = Owner { boot: "another".to_owned(), ..me };
        assert!(!before.is_alive(Duration::ZERO), "the machine was started again");
    }

    #[test]
    fn a_process_that_ended_is_dead_before_anyone_asks_about_it() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let started = started(child.id());
        let owner = Owner { pid: child.id(), started: started.unwrap_or_default(), boot: boot() };
        while owner.is_alive(Duration::ZERO) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(!owner.is_alive(Duration::ZERO));
    }
}
