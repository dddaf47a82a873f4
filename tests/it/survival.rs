//! Runs that are killed or stopped at any moment, and go on.

use std::{
    collections::BTreeMap,
    fs,
    io::Read as _,
    path::Path,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use agentctl::{
    event::What,
    store::{Store, Thread, ThreadStatus},
};
use fastrand::Rng;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::{
    plan_server::{Plan, PlanServer, results},
    stage::until,
    support::Sandbox,
};

/// How often something is killed in all.
const KILLS: usize = 200;
/// How many conversations are killed at the same time.
const CHAINS: usize = 4;
/// The latest moment of a kill, in milliseconds.
const LATEST: u64 = 400;
/// How often runs are stopped with each signal.
const STOPS: usize = 20;
/// Seconds a command would sleep that was left behind.
const FOREVER: &str = "3000";

/// Where the model's work shows; `mark` is in the command lines of everything it starts.
fn plan(mark: &str, background: bool) -> Plan {
    let shell = |command: String| ("shell", json!({"command": command}));
    let step = |step: usize| shell(format!("echo step-{step} >> log"));
    let slow = |step: usize| {
        shell(format!(
            "sleep {FOREVER}.{mark} & echo step-{step} >> log; sleep 0.04; kill $!; wait $! || true"
        ))
    };
    // A background agent may not write files as it likes.
    let write = |number: usize| match background {
        true => step(number),
        false => ("write_file", json!({"path": format!("step-{number}.txt"), "content": "here\n"})),
    };
    vec![
        vec![("read_file", json!({"path": "notes.txt"}))],
        vec![step(1)],
        vec![write(2)],
        vec![step(3), slow(4)],
        vec![step(5)],
        vec![write(6), step(7)],
        vec![slow(8)],
        vec![step(9)],
        vec![slow(10), slow(11)],
    ]
}

/// A conversation that is killed again and again.
struct Chain<'a> {
    name: String,
    mark: String,
    background: bool,
    sandbox: Sandbox,
    server: &'a PlanServer,
    id: Option<String>,
    /// How often it was told to go on by a process that then left it alone.
    told: usize,
}

/// What is known of a process that was started and killed.
struct Killed {
    printed: String,
}

impl<'a> Chain<'a> {
    fn new(server: &'a PlanServer, background: bool) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{}{number:04}", std::process::id());
        let name = format!("chain-{number}");
        let settings = server.scene(&name, plan(&mark, background));
        let sandbox = Sandbox::with(&[
            ("~/.config/agentctl/config.toml", settings.as_str()),
            ("notes.txt", "the needle\n"),
        ]);
        Self { name, mark, background, sandbox, server, id: None, told: 0 }
    }

    fn command(&self) -> Command {
        let mut arguments = vec!["run"];
        match &self.id {
            Some(id) => arguments.extend(["--resume", id, "Go on."]),
            None => arguments.extend(["worker", "Do all of it."]),
        }
        arguments.extend(["--approve", "always", "--sandbox", "workspace_write"]);
        arguments.extend(["--model", "one/m", "--no-probe", "--format", "jsonl"]);
        if self.background {
            arguments.push("--background");
        }
        let mut command = self.sandbox.command(&arguments);
        command.env("KEY_VARIABLE", "sk-0123456789abcdef");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn database(&self) -> std::path::PathBuf {
        self.sandbox.path("~/.local/state/agentctl/threads.db")
    }

    fn store(&self) -> Option<Store> {
        Store::open_existing(&self.database()).unwrap()
    }

    /// Runs it and sends it `signal` after `delay`.
    fn stop(&mut self, signal: Signal, delay: Duration) -> Killed {
        let (mut child, out) = start(self.command());
        if self.background {
            until("it is launched", || child.try_wait().unwrap().is_some());
            let (printed, errors) = out();
            assert!(child.wait().unwrap().success(), "{}: {errors}", self.name);
            self.told += usize::from(self.id.is_some());
            let launched: Value = serde_json::from_str(&printed).unwrap();
            self.id = launched["agent_id"].as_str().map(str::to_owned);
            thread::sleep(delay);
            let thread = self.thread().unwrap();
            if let Some(owner) = thread.owner.filter(|_| thread.status.is_active()) {
                let pid = Pid::from_raw(i32::try_from(owner.pid()).unwrap()).unwrap();
                // It may have ended meanwhile.
                kill_process(pid, signal).ok();
                until("the worker has ended", || !owner.is_alive(Duration::ZERO));
            }
            return Killed { printed: String::new() };
        }
        thread::sleep(delay);
        kill_process(Pid::from_child(&child), signal).unwrap();
        until("the process has ended", || child.try_wait().unwrap().is_some());
        let (printed, _) = out();
        self.find();
        Killed { printed }
    }

    /// Finds out what it is called, if it has begun.
    fn find(&mut self) {
        self.id = self.id.take().or_else(|| {
            let threads = self.store()?.threads(&[]).unwrap();
            threads.last().map(|thread| thread.begun.id.clone())
        });
    }

    fn thread(&self) -> Option<Thread> {
        let id = self.id.as_ref()?;
        Some(self.store()?.thread(id).unwrap())
    }

    /// Runs it to its end.
    fn finish(&mut self) {
        let (mut child, out) = start(self.command());
        until("it has ended", || child.try_wait().unwrap().is_some());
        let (printed, errors) = out();
        assert!(child.wait().unwrap().success(), "{}: {errors}\n{printed}", self.name);
        self.find();
        if self.background {
            until("it is done", || !self.thread().unwrap().status.is_active());
        }
    }

    /// Nothing that the conversation started still runs.
    fn leaves_nothing_behind(&self) {
        let (mark, work) = (format!("{FOREVER}.{}", self.mark), self.sandbox.work());
        until("every process is gone", || !runs(&mark, &work));
    }

    /// What must be true whenever nobody runs it.
    fn holds(&self, killed: &Killed) {
        self.leaves_nothing_behind();
        self.steps_once();
        if !self.database().exists() {
            assert!(killed.printed.is_empty(), "{}: printed before it was kept", self.name);
            return;
        }
        let connection = Store::peek(&self.database()).unwrap();
        let sound: String =
            connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(sound, "ok", "{}", self.name);
        let Some(id) = &self.id else {
            assert!(killed.printed.is_empty(), "{}: printed before it was kept", self.name);
            return;
        };
        let mut query = connection
            .prepare("SELECT seq, stream, event FROM events WHERE thread = ?1 ORDER BY seq")
            .unwrap();
        let rows = query.query_map([id], |row| {
            Ok((row.get::<_, usize>(0)?, row.get::<_, usize>(1)?, row.get::<_, String>(2)?))
        });
        let kept: Vec<_> = rows.unwrap().map(Result::unwrap).collect();
        for (at, (seq, stream, _)) in kept.iter().enumerate() {
            assert!(*seq == at && *stream == at, "{}: {seq} and {stream} at {at}", self.name);
        }
        let printed = killed.printed.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        for line in printed {
            let event: Value = serde_json::from_str(line).unwrap();
            let at = usize::try_from(event["seq"].as_u64().unwrap()).unwrap();
            let stored = kept.get(at).map(|(_, _, text)| text.as_str());
            assert!(stored == Some(line.trim_end()), "{}: {line}{stored:?}", self.name);
        }
    }

    /// No step was carried out twice.
    fn steps_once(&self) -> BTreeMap<String, usize> {
        let log = fs::read_to_string(self.sandbox.path("log")).unwrap_or_default();
        let mut times = BTreeMap::new();
        for line in log.lines() {
            *times.entry(line.to_owned()).or_default() += 1;
        }
        assert!(times.values().all(|times| *times == 1), "{}: {log}", self.name);
        times
    }

    /// It is over: whatever is missing, the model was told.
    fn is_complete(&self) {
        let thread = self.thread().unwrap();
        assert_eq!(thread.status, ThreadStatus::Completed, "{}: {thread:?}", self.name);
        assert_eq!(thread.outcome.map(|outcome| outcome.result).as_deref(), Some("all of it"));
        let times = self.steps_once();
        let seen = self.server.seen(&self.name);
        // What the model was once told, it is told again.
        for pair in seen.windows(2) {
            let (before, after) = (results(&pair[0]), results(&pair[1]));
            assert!(after.starts_with(&before), "{}: {before:?} became {after:?}", self.name);
        }
        let last = seen.last().unwrap();
        let heard = last.as_array().unwrap().iter().filter(|said| said["content"] == "Go on.");
        assert!(heard.count() >= self.told, "{}: what it was told is lost", self.name);
        let told = results(last);
        for (step, (tool, arguments)) in
            plan(&self.mark, self.background).iter().flatten().enumerate()
        {
            let done = match *tool {
                "shell" => times.contains_key(&format!("step-{step}")),
                "write_file" => self.sandbox.path(arguments["path"].as_str().unwrap()).exists(),
                _ => continue,
            };
            let told = told[step];
            let unknown = told.contains("unknown outcome");
            let never = told.contains("was not carried out");
            let stopped = told.contains("the call was stopped");
            assert!(done || unknown || never || stopped, "{}: step {step}: {told}", self.name);
            assert!(!(done && never), "{}: step {step} was carried out", self.name);
        }
    }
}

/// Starts a process; what it returns waits for what is printed and what is complained about.
fn start(mut command: Command) -> (Child, impl FnOnce() -> (String, String)) {
    let mut child = command.spawn().unwrap();
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let printed = thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).unwrap();
        text
    });
    let errors = thread::spawn(move || {
        let mut text = String::new();
        err.read_to_string(&mut text).unwrap();
        text
    });
    (child, move || (printed.join().unwrap(), errors.join().unwrap()))
}

/// Whether a process has an argument with `mark` in it or works in `folder`.
fn runs(mark: &str, folder: &Path) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes.map(|entry| entry.path()).any(|process| {
        let command = fs::read(process.join("cmdline")).unwrap_or_default();
        let marked = command.windows(mark.len()).any(|part| part == mark.as_bytes());
        let within = fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
        // One that has ended and that nobody has asked about has neither.
        marked || within
    })
}

/// Kills `kills` times, conversation after conversation. How many of them came to their end.
fn kill_again_and_again(server: &PlanServer, background: bool, kills: usize, seed: u64) -> usize {
    let mut rng = Rng::with_seed(seed);
    let mut chain = Chain::new(server, background);
    let (mut complete, mut killed) = (0, 0);
    while killed < kills {
        let delay = Duration::from_millis(rng.u64(0..=LATEST));
        let remains = chain.stop(Signal::KILL, delay);
        chain.holds(&remains);
        // Only what did not come to its end was killed.
        killed += 1;
        let Some(thread) = chain.thread() else { continue };
        if thread.status == ThreadStatus::Completed {
            chain.is_complete();
            complete += 1;
            killed -= 1;
            chain = Chain::new(server, background);
            continue;
        }
        assert_eq!(thread.status, ThreadStatus::Errored, "{}: {thread:?}", chain.name);
        let error = thread.outcome.and_then(|outcome| outcome.error).unwrap();
        assert_eq!(error.message, "the process running it died", "{}", chain.name);
    }
    chain.finish();
    chain.is_complete();
    chain.leaves_nothing_behind();
    complete + 1
}

/// Runs `test` with a seed that is said when it fails.
fn seeded(test: impl Fn(u64)) {
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| test(seed))).is_err();
    assert!(!failed, "it failed with SEED={seed}");
}

fn kill_everything(background: bool) {
    seeded(|seed| {
        let server = PlanServer::start(Duration::from_millis(3));
        thread::scope(|scope| {
            for chain in 0..CHAINS {
                let (server, seed) = (&server, seed.wrapping_add(chain as u64));
                let kills = KILLS / 2 / CHAINS;
                scope.spawn(move || kill_again_and_again(server, background, kills, seed));
            }
        });
    });
}

#[test]
fn a_run_that_is_killed_at_any_moment_goes_on_and_does_nothing_twice() {
    kill_everything(false);
}

#[test]
fn a_background_run_that_is_killed_at_any_moment_goes_on_and_does_nothing_twice() {
    kill_everything(true);
}

/// Stops runs with `signal` at random moments.
fn stop_politely(signal: Signal) {
    seeded(|seed| {
        let mut rng = Rng::with_seed(seed);
        let server = PlanServer::start(Duration::from_millis(3));
        let mut chain = Chain::new(&server, false);
        for _ in 0..STOPS {
            let delay = Duration::from_millis(rng.u64(0..=LATEST));
            let stopped = chain.stop(signal, delay);
            chain.holds(&stopped);
            let Some(thread) = chain.thread() else { continue };
            if thread.status == ThreadStatus::Completed {
                chain.is_complete();
                chain = Chain::new(&server, false);
                continue;
            }
            // Before the thread is taken up again, it is what it was.
            assert_eq!(thread.status, ThreadStatus::Interrupted, "{}: {thread:?}", chain.name);
            let events = chain.store().unwrap().events(&thread.begun.id, 0, 100_000).unwrap();
            assert!(matches!(events.last().unwrap().event.what, What::Completed(_)));
        }
        chain.finish();
        chain.is_complete();
        chain.leaves_nothing_behind();
    });
}

#[test]
fn a_run_that_is_asked_to_end_at_any_moment_is_interrupted_and_goes_on() {
    stop_politely(Signal::TERM);
}

#[test]
fn ctrl_c_at_any_moment_interrupts_a_run_that_can_go_on() {
    stop_politely(Signal::INT);
}
