//! The processes below this one: counting, measuring and ending them.
//!
//! What a dead process leaves behind becomes a child of the supervisor, so a tree is gone when the
//! supervisor has no child left; the kernel says so, not a list that could be out of date.

use std::{
    collections::HashMap,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use nix::{
    errno::Errno,
    sys::{
        signal::{Signal, kill, killpg},
        wait::{WaitPidFlag, WaitStatus, waitpid},
    },
    unistd::{Pid, getpgrp, getpid},
};

/// How long the kernel may take to end killed processes. One that hangs in a system call cannot be
/// waited for forever.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the processes below this one use together.
#[derive(Debug, Default)]
pub(super) struct Usage {
    pub(super) processes: usize,
    pub(super) threads: usize,
    /// Bytes that are not in files: those are the machine's cache, and are shared.
    pub(super) memory: u64,
}

/// Measures the processes below this one.
pub(super) fn usage() -> Usage {
    let mut usage = Usage::default();
    for pid in descendants() {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let number = |name: &str| -> u64 {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let word = line.and_then(|line| line.split_whitespace().next());
            word.and_then(|word| word.parse().ok()).unwrap_or(0)
        };
        usage.processes += 1;
        usage.threads += usize::try_from(number("Threads:")).unwrap_or(usize::MAX);
        usage.memory += (number("RssAnon:") + number("RssShmem:")) * 1024;
    }
    usage
}

/// Reaps every child that has ended; how `child` did, if it is among them.
pub(super) fn reap(child: Pid) -> Reaped {
    let mut reaped = Reaped { child: None, alone: false };
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => return reaped,
            Ok(status) if status.pid() == Some(child) => reaped.child = Some(status),
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => {
                reaped.alone = true;
                return reaped;
            }
        }
    }
}

/// What reaping found.
#[derive(Debug)]
pub(super) struct Reaped {
    /// How the child asked about ended.
    pub(super) child: Option<WaitStatus>,
    /// Whether no child is left.
    pub(super) alone: bool,
}

/// Kills and reaps every process below this one.
///
/// Processes may fork while they are looked for. Whole groups are killed, which no fork escapes,
/// and it goes on until there is no child: what is left of a tree always becomes one.
pub(super) fn end() {
    let began = Instant::now();
    let nobody = Pid::from_raw(0);
    while !reap(nobody).alone && began.elapsed() < PATIENCE {
        for pid in descendants() {
            let pid = Pid::from_raw(pid);
            // This process leads a session, so its own group is the only one that anything below
            // it could have joined from outside.
            if let Ok(group) = nix::unistd::getpgid(Some(pid))
                && group != getpgrp()
                && group.as_raw() > 1
            {
                killpg(group, Signal::SIGKILL).ok();
            }
            kill(pid, Signal::SIGKILL).ok();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The processes below this one, parents before children.
fn descendants() -> Vec<i32> {
    let own = getpid().as_raw();
    // Depends on how the kernel was built.
    if Path::new("/proc/self/task").join(own.to_string()).join("children").exists() {
        below(own, children_of)
    } else {
        let parents = parents();
        below(own, |pid| {
            let children = parents.iter().filter(|(_, parent)| **parent == pid);
            children.map(|(child, _)| *child).collect()
        })
    }
}

/// Everything below `top`.
fn below(top: i32, children: impl Fn(i32) -> Vec<i32>) -> Vec<i32> {
    let mut found = children(top);
    let mut next = 0;
    while let Some(&pid) = found.get(next) {
        // A number that was given out again while we looked must not make us go in circles.
        let new: Vec<i32> =
            children(pid).into_iter().filter(|child| !found.contains(child)).collect();
        found.extend(new);
        next += 1;
    }
    found
}

/// The children of each thread of `pid`.
fn children_of(pid: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists = threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| numbers(&list)).collect()
}

fn numbers(list: &str) -> Vec<i32> {
    list.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// The parent of every process there is.
fn parents() -> HashMap<i32, i32> {
    let Ok(processes) = fs::read_dir("/proc") else { return HashMap::new() };
    let numbered = processes
        .flatten()
        .filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()));
    numbered.filter_map(|pid: i32| Some((pid, parent_of(pid)?))).collect()
}

/// The parent of `pid`. The name before it may hold anything, even a parenthesis.
fn parent_of(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn both_ways_of_looking_find_the_same_children() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let own = getpid().as_raw();
        assert_eq!(parent_of(pid), Some(own));
        assert_eq!(parents().get(&pid), Some(&own));
        assert!(children_of(own).contains(&pid));
        assert!(descendants().contains(&pid));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_circle_of_numbers_ends() {
        assert_eq!(below(1, |pid| vec![pid % 3 + 1]), [2, 3, 1]);
    }
}
