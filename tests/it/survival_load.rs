//! Many processes and one store, and a disk without room.

use std::{
    collections::BTreeMap,
    env, fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use agentctl::{
    event::{AgentRef, Event, What},
    store::{NewThread, Owner, Store, ThreadStatus},
};
use serde_json::json;

use crate::{
    plan_server::PlanServer,
    stage::{Stage, until},
    support::Sandbox,
};

/// How long processes write and read, unless `LOAD_SECONDS` says otherwise.
const LOAD: Duration = Duration::from_secs(5);
const WRITERS: usize = 2;
const READERS: usize = 8;
/// What a process of this program is to do with which store.
const ROLE: &str = "AGENTCTL_TEST_ROLE";
const STORE: &str = "AGENTCTL_TEST_STORE";

/// How many runs in the background are started at once.
const TASKS: usize = 200;
/// From how many threads.
const STARTERS: usize = 8;
/// How long a model thinks, in milliseconds: until all of them have begun.
const THINKING: u64 = 25_000;
/// The most a process may use that waits: kilobytes, files, and all of them a share of one core.
const MAX_MEMORY: u64 = 60 << 10;
const MAX_FILES: usize = 40;
const MAX_SHARE: f64 = 1.0;

fn load_time() -> Duration {
    let seconds = env::var("LOAD_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    seconds.map_or(LOAD, Duration::from_secs)
}

fn new_thread(id: &str) -> NewThread {
    NewThread {
        id: id.to_owned(),
        session: id.to_owned(),
        parent: None,
        depth: 0,
        agent_type: "tester".to_owned(),
        ordinal: 1,
        model: "m".to_owned(),
        sandbox: "read_only".to_owned(),
        cwd: "/".to_owned(),
        path: "agents/tester.md".to_owned(),
        origin: "project".to_owned(),
        definition: "text".to_owned(),
        hash: "h".to_owned(),
        call: json!({}),
        note: None,
        background: false,
    }
}

/// Writes to a thread of its own until the time is over. How much.
fn write(store: &Store, id: &str) -> u64 {
    let me = Owner::this_process();
    store.create(&new_thread(id), Some(&me)).unwrap();
    let agent = AgentRef { agent_id: id.to_owned(), agent_type: "tester".to_owned() };
    let end = Instant::now() + load_time();
    let mut seq = 0;
    while Instant::now() < end {
        // Some of it has to survive the machine.
        let what = if seq % 50 == 0 {
            let (tool_name, call_id) = ("shell".to_owned(), seq.to_string());
            What::ToolCallStart { tool_name, call_id, arguments: json!({}) }
        } else {
            What::TextChunk { text: format!("{seq} ").repeat(20) }
        };
        store.append(&me, &Event { seq, at: String::new(), agent: agent.clone(), what }).unwrap();
        seq += 1;
    }
    seq
}

/// Follows every thread until the time is over: nothing is missing or comes late. How much.
fn read(store: &Store) -> u64 {
    let end = Instant::now() + load_time();
    let mut known: BTreeMap<String, u64> = BTreeMap::new();
    while Instant::now() < end {
        for thread in store.threads(&[]).unwrap() {
            let next = known.entry(thread.begun.id.clone()).or_default();
            for entry in store.events(&thread.begun.id, *next, 100).unwrap() {
                assert_eq!((entry.seq, entry.event.seq), (*next, *next));
                *next += 1;
            }
        }
    }
    known.values().sum()
}

/// Not a test of its own: what the processes of the next one do.
#[test]
#[ignore = "is run by another test"]
fn child() {
    let (Ok(role), Some(path)) = (env::var(ROLE), env::var_os(STORE)) else { return };
    let store = Store::open(Path::new(&path)).unwrap();
    let count = if role == "reader" { read(&store) } else { write(&store, &role) };
    assert!(count > 0, "{role} did nothing");
}

#[test]
fn many_processes_write_and_read_without_getting_in_each_others_way() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("threads.db");
    let writers = (0..WRITERS).map(|writer| format!("writer-{writer}"));
    let roles: Vec<String> = writers.chain((0..READERS).map(|_| "reader".to_owned())).collect();
    // Nobody makes the store first: they all do at once.
    let start = |role: &String| {
        Command::new(env::current_exe().unwrap())
            .args(["--exact", "survival_load::child", "--ignored", "--nocapture"])
            .env(ROLE, role)
            .env(STORE, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = roles.iter().map(start).collect();
    for (role, child) in roles.iter().zip(children) {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{role}: {:.2000}", said);
    }
    let store = Store::open(&path).unwrap();
    for writer in 0..WRITERS {
        let events = store.events(&format!("writer-{writer}"), 0, usize::MAX >> 1).unwrap();
        assert!(events.len() > 50, "only {} in {:?}", events.len(), load_time());
        for (at, entry) in events.iter().enumerate() {
            assert_eq!((entry.seq, entry.event.seq), (at as u64, at as u64));
        }
    }
}

/// What a process has used: seconds of a core, kilobytes, files.
fn used(pid: u32) -> Option<(f64, u64, usize)> {
    let process = Path::new("/proc").join(pid.to_string());
    let stat = fs::read_to_string(process.join("stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>().ok()? + fields[12].parse::<f64>().ok()?;
    let status = fs::read_to_string(process.join("status")).ok()?;
    let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let memory = memory.split_whitespace().next()?.parse().ok()?;
    // There are a hundred ticks in a second, whatever the kernel counts.
    Some((ticks / 100.0, memory, fs::read_dir(process.join("fd")).ok()?.count()))
}

#[test]
fn hundreds_of_background_runs_wait_cheaply_and_each_has_its_own_result() {
    let stage = Stage::new("", &[]);
    // Each has a model of its own.
    for task in 0..TASKS {
        let script = format!(
            "turns:\n  - {{delay_ms: {THINKING}, tool_calls: [{{name: complete_task, arguments: {{result: 'result {task}'}}}}]}}\n"
        );
        stage.sandbox.write(&format!("scripts/{task}.yaml"), &script);
    }
    let began = Instant::now();
    let launch = |task: usize| {
        let model = format!("script:scripts/{task}.yaml");
        let seen = stage.see_with(&["tester", "--model", &model, "--background"]);
        assert_eq!(seen.exit, Some(0), "{task}: {seen}");
        (task, seen.stdout.trim().to_owned())
    };
    let ids: Vec<(usize, String)> = thread::scope(|scope| {
        let starters: Vec<_> = (0..STARTERS)
            .map(|starter| {
                let launch = &launch;
                scope.spawn(move || {
                    (starter..TASKS).step_by(STARTERS).map(launch).collect::<Vec<_>>()
                })
            })
            .collect();
        starters.into_iter().flat_map(|starter| starter.join().unwrap()).collect()
    });
    let started = began.elapsed();
    let store = Store::open(&stage.sandbox.path("~/.local/state/agentctl/threads.db")).unwrap();
    let waiting: Vec<u32> = ids
        .iter()
        .filter_map(|(_, id)| {
            let thread = store.thread(id).unwrap();
            thread.owner.filter(|_| thread.status.is_active()).map(|owner| owner.pid())
        })
        .collect();
    let look = || -> BTreeMap<u32, (f64, u64, usize)> {
        waiting.iter().filter_map(|pid| Some((*pid, used(*pid)?))).collect()
    };
    let before = look();
    let second = Instant::now();
    thread::sleep(Duration::from_secs(1));
    let after = look();
    let second = second.elapsed().as_secs_f64();
    let both = || after.iter().filter_map(|(pid, now)| Some((before.get(pid)?, now)));
    let share = both().map(|(before, now)| now.0 - before.0).sum::<f64>() / second;
    let memory = after.values().map(|used| used.1).max().unwrap_or(0);
    let files = after.values().map(|used| used.2).max().unwrap_or(0);
    let numbers = format!(
        "{TASKS} started in {started:?}; {} wait, with {share:.2} of a core, at most {memory} kB and \
         {files} files each",
        both().count()
    );
    if env::var_os("SHOW_NUMBERS").is_some() {
        fs::write(env::temp_dir().join("agentctl-load.txt"), &numbers).unwrap();
    }
    for (task, id) in &ids {
        until("it is done", || !store.thread(id).unwrap().status.is_active());
        let thread = store.thread(id).unwrap();
        assert_eq!(thread.status, ThreadStatus::Completed, "{task}: {thread:?}");
        assert_eq!(thread.outcome.unwrap().result, format!("result {task}"));
    }
    assert!(both().count() > TASKS / 4, "{numbers}");
    assert!(memory < MAX_MEMORY && files < MAX_FILES && share < MAX_SHARE, "{numbers}");
}

/// A model that fills the disk by reading, and a place for it to work.
fn reader(server: &PlanServer, name: &str) -> Sandbox {
    let plan = (0..60).map(|_| vec![("read_file", json!({"path": "long.txt"}))]).collect();
    let settings = server.scene(name, plan);
    Sandbox::with(&[
        ("~/.config/agentctl/config.toml", settings.as_str()),
        ("long.txt", &"one more line of a long file\n".repeat(300)),
    ])
}

/// `script` in a shell where `$A` is the program and `$M` are its usual arguments.
fn shell(sandbox: &Sandbox, outer: &[&str], script: &str) -> Command {
    let mut command = Command::new(outer[0]);
    command.args(&outer[1..]).args(["bash", "-c", script]);
    command.current_dir(sandbox.work()).env_clear().env("HOME", sandbox.home());
    command.env("A", env!("CARGO_BIN_EXE_agentctl")).env("M", "--no-probe --model one/m");
    command.env("KEY_VARIABLE", "sk-0123456789abcdef").env("PATH", env::var_os("PATH").unwrap());
    command
}

#[test]
fn a_run_that_cannot_write_stops_and_goes_on_when_it_can() {
    let server = PlanServer::start(Duration::ZERO);
    let sandbox = reader(&server, "limited");
    // The signal would end the process; a full disk sends none.
    let script = "trap '' XFSZ; ulimit -f 300; exec $A run worker 'Read.' $M --format json";
    let seen = sandbox.see(shell(&sandbox, &["env"], script));
    assert_eq!(seen.exit, Some(1), "{seen}");
    let result = seen.json();
    assert_eq!(result["error"]["kind"], "journal", "{result}");
    let said = "error: what happened could not be written down: ~/.local/state/agentctl/threads.db";
    assert!(seen.stderr.starts_with(said), "{}", seen.stderr);
    let path = sandbox.path("~/.local/state/agentctl/threads.db");
    let sound: String = Store::peek(&path)
        .unwrap()
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(sound, "ok");
    let store = Store::open(&path).unwrap();
    let id = result["agent_id"].as_str().unwrap();
    assert_eq!(store.thread(id).unwrap().status, ThreadStatus::Errored);
    let kept = store.messages(id).unwrap();
    assert!(kept.len() > 3, "{} messages", kept.len());
    let script = format!("exec $A run --resume {id} 'Go on.' $M");
    let seen = sandbox.see(shell(&sandbox, &["env"], &script));
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(0), "all of it\n"), "{seen}");
    assert!(store.messages(id).unwrap().starts_with(&kept), "what was kept is kept");
}

#[test]
fn a_run_on_a_full_disk_stops_and_goes_on_when_there_is_room() {
    let server = PlanServer::start(Duration::ZERO);
    let sandbox = reader(&server, "full");
    let disk = sandbox.path("~/.local/state/agentctl");
    fs::create_dir_all(&disk).unwrap();
    let own_disk = ["unshare", "--user", "--map-root-user", "--mount"];
    let mount = format!("mount -t tmpfs -o size=400k none {}", disk.display());
    if sandbox.see(shell(&sandbox, &own_disk, &mount)).exit != Some(0) {
        // Not every machine lets its users have disks; the test before does without.
        let in_ci = std::env::var_os("CI").is_some();
        assert!(!in_ci, "a disk of one's own needs user namespaces: `unshare --user --mount`");
        return;
    }
    let script = format!(
        "{mount}; $A run worker 'Read.' $M --format json > result; echo \"exit $?\"
         ID=$(grep -o '\"agent_id\": *\"[^\"]*' result | sed 's/.*\"//')
         $A run --resume $ID 'Go on.' $M > /dev/null; echo \"still $?\"
         mount -o remount,size=50m {0}; $A run --resume $ID 'Go on.' $M; echo \"exit $?\"
         mkdir other; cp {0}/threads.db* other/",
        disk.display()
    );
    let seen = sandbox.see(shell(&sandbox, &own_disk, &script));
    let lines: Vec<&str> = seen.stdout.lines().collect();
    assert!(
        matches!(lines[..], ["exit 1", "still 1" | "still 2", "all of it", "exit 0"]),
        "{seen}"
    );
    let said = "error: what happened could not be written down: there is no room left for ";
    assert!(seen.stderr.starts_with(said), "{}", seen.stderr);
    let store = Store::open(&sandbox.path("other/threads.db")).unwrap();
    let threads = store.threads(&[]).unwrap();
    assert_eq!(threads.len(), 1);
    assert_eq!(threads[0].status, ThreadStatus::Completed);
}
