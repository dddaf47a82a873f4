//! How `agentctl` grows with the number of files, and how it compares with its peers.
//!
//! Prints ratios; asserts nothing. With `AGENTCTL_CORPUS` set to a folder of real catalogs those
//! are repeated under new names, otherwise a made-up definition is. Peers (`agentlint`, `agnix`)
//! are measured in the same run if they are on the `PATH`; `benches/peers.sh` installs them.

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const SIZES: &[usize] = &[1_000, 2_500, 10_000];
/// The slow peer is only measured up to this many files.
const AGNIX_LIMIT: usize = 2_500;

fn main() -> Result<()> {
    let agentctl = env!("CARGO_BIN_EXE_agentctl");
    let originals = originals()?;
    let root = std::env::temp_dir().join(format!("agentctl-bench-{}", std::process::id()));
    let start_up = fastest(|| run(Path::new("true"), &[], &root))?;
    fs::create_dir_all(&root)?;
    let one = folder(&root.join("one"), &originals, 1)?;
    let single = fastest(|| run(Path::new(agentctl), &["validate", path(&one)], &root))?;
    say(&format!(
        "one file: {:.1} ms, {:.1} x `true`",
        ms(single.time),
        single.time.as_secs_f64() / start_up.time.as_secs_f64()
    ));

    let mut before: Option<(usize, Duration)> = None;
    for size in SIZES {
        let files = folder(&root.join(size.to_string()), &originals, *size)?;
        let list = fastest(|| {
            run(Path::new(agentctl), &["list", "--format", "json", path(&files)], &root)
        })?;
        let validate = fastest(|| {
            run(Path::new(agentctl), &["validate", "--format", "json", path(&files)], &root)
        })?;
        say(&format!(
            "{size:>6} files: list {:.0} ms, validate {:.0} ms, {:.1} MB",
            ms(list.time),
            ms(validate.time),
            validate.peak_kb as f64 / 1024.0
        ));
        if let Some((smaller, time)) = before {
            let growth = validate.time.as_secs_f64() / time.as_secs_f64();
            say(&format!(
                "        {:.1} x the files took {growth:.1} x the time",
                *size as f64 / smaller as f64
            ));
        }
        before = Some((*size, validate.time));
        for (peer, arguments, limit) in [
            ("agentlint", vec![path(&files)], usize::MAX),
            ("agnix", vec![path(&files)], AGNIX_LIMIT),
        ] {
            if *size <= limit
                && let Ok(measured) = run(Path::new(peer), &arguments, &root)
            {
                let ratio = validate.time.as_secs_f64() / measured.time.as_secs_f64();
                say(&format!(
                    "        {peer}: {:.0} ms, {:.1} MB; agentctl takes {ratio:.3} x its time",
                    ms(measured.time),
                    measured.peak_kb as f64 / 1024.0
                ));
            }
        }
    }
    fs::remove_dir_all(&root)?;
    Ok(())
}

struct Measured {
    time: Duration,
    peak_kb: u64,
}

/// The fastest of five runs: everything slower was waiting for something else.
fn fastest(run: impl Fn() -> Result<Measured>) -> Result<Measured> {
    let mut best = run()?;
    for _ in 0..4 {
        let next = run()?;
        if next.time < best.time {
            best.time = next.time;
        }
        best.peak_kb = best.peak_kb.max(next.peak_kb);
    }
    Ok(best)
}

fn run(program: &Path, arguments: &[&str], cwd: &Path) -> Result<Measured> {
    let cwd = if cwd.is_dir() { cwd } else { Path::new(".") };
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak_kb = 0;
    while child.try_wait()?.is_none() {
        // The high-water mark only grows, so the last value seen is close to the peak.
        if let Ok(text) = fs::read_to_string(&status) {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let value = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
            peak_kb = value.unwrap_or(peak_kb);
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    Ok(Measured { time: start.elapsed(), peak_kb })
}

/// Texts of definitions with the endings of their files.
fn originals() -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    if let Some(corpus) = std::env::var_os("AGENTCTL_CORPUS") {
        for entry in walkdir::WalkDir::new(corpus).sort_by_file_name() {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.file_type().is_file()
                && let Some((_, ending)) = name.split_once('.')
            {
                found.push((ending.to_owned(), fs::read_to_string(entry.path())?));
            }
        }
    }
    if found.is_empty() {
        let body = "Work carefully and report what you did.\n".repeat(100);
        let text = format!(
            "---\nname: NAME\ndescription: Reviews changes.\ntools: Read, Grep\n---\n{body}"
        );
        found.push(("md".to_owned(), text));
    }
    Ok(found)
}

/// `count` files under new names, a hundred to a folder.
fn folder(root: &Path, originals: &[(String, String)], count: usize) -> Result<PathBuf> {
    for at in 0..count {
        let (ending, text) = &originals[at % originals.len()];
        let folder = root.join(".claude/agents").join(format!("{:03}", at / 100));
        fs::create_dir_all(&folder)?;
        let text = text.replacen("name: ", &format!("name: n{at}-"), 1);
        fs::write(folder.join(format!("agent-{at}.{ending}")), text)?;
    }
    Ok(root.to_owned())
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its result")]
fn say(line: &str) {
    println!("{line}");
}
