//! A terminal for the program, and someone who types in it.

use std::{
    fs::{self, File},
    io::{Read as _, Write as _},
    os::fd::OwnedFd,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
};

use nix::pty::openpty;
use rustix::{
    io::ioctl_fionread,
    process::{Pid, Signal, kill_process},
    termios::tcgetattr,
};

use crate::{
    support::{PATIENCE, Sandbox},
    thread_store::eventually,
};

/// A terminal in which the program runs.
pub struct Terminal {
    pub keyboard: File,
    /// The program's side of it.
    device: OwnedFd,
    /// What the terminal was like before.
    pub modes: String,
    pub program: Child,
    screen: Receiver<Vec<u8>>,
    pub shown: String,
    unread: Vec<u8>,
    /// How much of that has been expected.
    expected: usize,
}

impl Terminal {
    pub fn start(sandbox: &Sandbox, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let pair = openpty(None, None).unwrap();
        let modes = format!("{:?}", tcgetattr(&pair.slave).unwrap());
        let plain = sandbox.command(arguments);
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(plain.get_program()).args(plain.get_args());
        command.env_clear().current_dir(plain.get_current_dir().unwrap());
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("TERM", "xterm").envs(variables.iter().copied());
        let side = || Stdio::from(pair.slave.try_clone().unwrap());
        let program = command.stdin(side()).stdout(side()).stderr(side()).spawn().unwrap();
        let keyboard = File::from(pair.master);
        let mut output = keyboard.try_clone().unwrap();
        let (sender, screen) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                sender.send(bytes[..count].to_vec()).ok();
            }
        });
        Self {
            keyboard,
            device: pair.slave,
            modes,
            program,
            screen,
            shown: String::new(),
            unread: Vec::new(),
            expected: 0,
        }
    }

    /// Waits until `text` is shown once more.
    #[track_caller]
    pub fn shows(&mut self, text: &str) {
        let from = self.shown.len();
        while !self.shown[from..].contains(text) {
            let Ok(bytes) = self.screen.recv_timeout(PATIENCE) else {
                panic!("no {text:?} in {:?}", self.shown);
            };
            self.shown.push_str(&String::from_utf8(bytes).unwrap());
        }
    }

    /// Waits until `text` is shown after what was expected last.
    #[track_caller]
    pub fn expect(&mut self, text: &str) -> &mut Self {
        loop {
            if let Some(at) = self.shown[self.expected..].find(text) {
                self.expected += at + text.len();
                return self;
            }
            let Ok(bytes) = self.screen.recv_timeout(PATIENCE) else {
                panic!("no {text:?} after {:?} in {:?}", &self.shown[..self.expected], self.shown);
            };
            // A character may be cut in two.
            self.unread.extend(bytes);
            let whole = match std::str::from_utf8(&self.unread) {
                Ok(text) => text.len(),
                Err(error) => error.valid_up_to(),
            };
            let text: Vec<u8> = self.unread.drain(..whole).collect();
            self.shown.push_str(&String::from_utf8(text).unwrap());
        }
    }

    /// Types `text`.
    pub fn press(&mut self, text: &str) -> &mut Self {
        self.keyboard.write_all(text.as_bytes()).unwrap();
        self
    }

    /// Types `text` and waits until it has been read.
    pub fn types(&mut self, text: &str) {
        let waits = |bytes: u64| eventually(|| ioctl_fionread(&self.device).unwrap() == bytes);
        // What arrives while the program stands still can be seen to arrive.
        self.signal(Signal::STOP);
        self.is_stopped();
        self.keyboard.try_clone().unwrap().write_all(text.as_bytes()).unwrap();
        waits(text.len() as u64);
        self.signal(Signal::CONT);
        waits(0);
    }

    /// Waits until the program stands still.
    pub fn is_stopped(&self) {
        let status = format!("/proc/{}/stat", self.program.id());
        eventually(|| fs::read_to_string(&status).unwrap().contains(") T "));
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.program), signal).unwrap();
    }

    pub fn modes(&self) -> String {
        format!("{:?}", tcgetattr(&self.device).unwrap())
    }

    /// Waits for the end, after which the terminal is as it was; what was shown, and the exit code.
    pub fn ends(mut self, last: &str) -> (String, Option<i32>) {
        if !self.shown.contains(last) {
            self.shows(last);
        }
        let exit = self.program.wait().unwrap().code();
        assert_eq!(self.modes(), self.modes, "{:?}", self.shown);
        (self.shown.clone(), exit)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A test that failed must not leave anything running.
        self.program.kill().ok();
        self.program.wait().ok();
    }
}
