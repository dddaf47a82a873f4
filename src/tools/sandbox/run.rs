//! Starts a supervisor, listens to the command, and tells a model what came of it.
//!
//! Dropping the future closes the socket, and with it the supervisor ends everything it started;
//! so does the death of this process.

use std::{
    ffi::OsString,
    io,
    os::{fd::OwnedFd, unix::net::UnixStream as StdStream},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use nix::sys::signal::Signal;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
    process::{Child, ChildStdin, Command},
};

use super::{
    super::{ToolCx, ToolError},
    Backend, HELPER, Mode, Order, Sandbox, bubblewrap, environment,
    output::{MAX_CHARS, Output},
    policy::{Ending, Policy},
};

/// Most of what a supervisor says is read.
const MAX_REPORT: u64 = 64 << 10;

pub(super) async fn run(cx: &ToolCx, order: Order<'_>) -> Result<String, ToolError> {
    let time_limit = order.timeout.map_or(cx.time_limit, |timeout| timeout.min(cx.time_limit));
    let policy = policy(cx, &order, time_limit).await?;
    let broken = |error: io::Error| {
        let helper = cx.sandbox.helper.display();
        ToolError::Broken(format!("cannot run commands with {helper}: {error}"))
    };
    let (mut child, mut control) = start(&cx.sandbox, order.stdin).map_err(broken)?;
    let line = serde_json::to_string(&policy).map_err(ToolError::refused)? + "\n";
    control.write_all(line.as_bytes()).await.map_err(broken)?;

    let (input, stdout) = (child.stdin.take(), child.stdout.take());
    let (output, (), report) =
        tokio::join!(listen(stdout), feed(input, order.stdin), hear(control));
    child.wait().await.map_err(broken)?;
    told(&policy, &report, &output)
}

/// What the supervisor is to do.
async fn policy(cx: &ToolCx, order: &Order<'_>, time_limit: Duration) -> Result<Policy, ToolError> {
    let Sandbox { mode, backend, environment, limits, .. } = &cx.sandbox;
    let found = match backend {
        Backend::Strongest | Backend::Bubblewrap if *mode != Mode::DangerFullAccess => {
            bubblewrap::find().await
        }
        _ => None,
    };
    let backend = match (backend, found) {
        (Backend::Strongest, Some(_)) => Backend::Bubblewrap,
        (Backend::Strongest, None) => Backend::Landlock,
        (Backend::Bubblewrap, None) if *mode != Mode::DangerFullAccess => {
            return Err(unconfined(*mode, "bubblewrap does not work here"));
        }
        (chosen, _) => *chosen,
    };
    let temporary = environment::lookup(environment, "TMPDIR").map(Path::new);
    let temporary = temporary.filter(|folder| folder.is_absolute() && folder.is_dir());
    Ok(Policy {
        mode: *mode,
        backend,
        bubblewrap: found.map(Into::into).unwrap_or_default(),
        root: cx.root.path().into(),
        workdir: workdir(cx, order.workdir)?.into_os_string(),
        temporary: temporary.map_or_else(|| OsString::from("/tmp"), OsString::from),
        program: order.program.to_owned(),
        args: order.args.to_vec(),
        limits: limits.clone(),
        time_limit_ms: u64::try_from(time_limit.as_millis()).unwrap_or(u64::MAX),
    })
}

/// The folder a command runs in, which lies below the root.
fn workdir(cx: &ToolCx, below: Option<&Path>) -> Result<PathBuf, ToolError> {
    let Some(below) = below else { return Ok(cx.root.path().to_owned()) };
    let refuse = |why: &dyn std::fmt::Display| {
        ToolError::refused(format_args!("cannot work in `{}`: {why}", below.display()))
    };
    let path = cx.root.path().join(below).canonicalize().map_err(|error| refuse(&error))?;
    if !path.starts_with(cx.root.path()) {
        return Err(refuse(&"outside of the working directory"));
    }
    if !path.is_dir() {
        return Err(refuse(&"not a folder"));
    }
    Ok(path)
}

/// Starts a supervisor, and gives the socket to it.
fn start(sandbox: &Sandbox, stdin: Option<&str>) -> io::Result<(Child, UnixStream)> {
    let (ours, theirs) = StdStream::pair()?;
    ours.set_nonblocking(true)?;
    let child = Command::new(&sandbox.helper)
        .arg(HELPER)
        .env_clear()
        .envs(environment::scrubbed(sandbox.environment.iter().cloned()))
        .current_dir("/")
        .stdin(if stdin.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::from(OwnedFd::from(theirs)))
        .spawn()?;
    Ok((child, UnixStream::from_std(ours)?))
}

/// Reads everything a command prints.
async fn listen(stdout: Option<impl AsyncRead + Unpin>) -> Output {
    let mut output = Output::new(MAX_CHARS);
    if let Some(mut stdout) = stdout {
        let mut buffer = vec![0; 64 << 10];
        // An error is an end: what was read until then is what there is.
        while let Ok(length @ 1..) = stdout.read(&mut buffer).await {
            output.push(&buffer[..length]);
        }
    }
    output.finish();
    output
}

/// Reads what the supervisor says.
async fn hear(control: UnixStream) -> String {
    let mut report = Vec::new();
    // A supervisor that was killed says nothing more.
    control.take(MAX_REPORT).read_to_end(&mut report).await.ok();
    String::from_utf8_lossy(&report).into_owned()
}

/// Writes what a command reads. It need not read all of it.
async fn feed(input: Option<ChildStdin>, text: Option<&str>) {
    if let (Some(mut input), Some(text)) = (input, text) {
        input.write_all(text.as_bytes()).await.ok();
    }
}

/// What a model is told.
fn told(policy: &Policy, report: &str, output: &Output) -> Result<String, ToolError> {
    let line = report.lines().rev().find_map(|line| serde_json::from_str(line).ok());
    let seconds = Duration::from_millis(policy.time_limit_ms).as_secs_f64();
    match line {
        Some(Ending::Exited(code)) => Ok(format!("exit code: {code}\n{output}")),
        Some(Ending::Signalled(number)) => {
            let name = Signal::try_from(number).map_or("unknown", Signal::as_str);
            Ok(format!("killed by signal {number} ({name})\n{output}"))
        }
        Some(Ending::TimedOut) => {
            Err(ToolError::Refused(format!("timed out after {seconds} s\n{output}")))
        }
        Some(Ending::OverLimit(limit)) => {
            let limit = limit.describe(&policy.limits);
            Err(ToolError::Refused(format!("killed because of {limit}\n{output}")))
        }
        Some(Ending::NotStarted(why)) => {
            let program = &policy.program;
            Err(ToolError::Refused(format!("cannot run `{program}`: {why}")))
        }
        Some(Ending::Unconfined(why)) => Err(unconfined(policy.mode, &why)),
        // A command that may do everything may do this; and memory runs out for anyone.
        Some(Ending::Abandoned) | None => {
            Err(ToolError::Refused(format!("the command's supervisor was killed\n{output}")))
        }
    }
}

/// No sandbox, no command.
fn unconfined(mode: Mode, why: &str) -> ToolError {
    if mode == Mode::DangerFullAccess {
        return ToolError::Broken(format!("cannot run commands: {why}"));
    }
    let mode = mode.name();
    let way_out = "install bubblewrap or use a kernel with Landlock (Linux 5.13 or later); only \
                   `danger_full_access` runs commands without a sandbox";
    ToolError::Broken(format!("cannot shut commands in as `{mode}` demands: {why}; {way_out}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_sandbox_it_says_what_is_missing_and_the_way_out() {
        let error = unconfined(Mode::ReadOnly, "the kernel does not have Landlock").to_string();
        assert_eq!(
            error,
            "cannot shut commands in as `read_only` demands: the kernel does not have Landlock; \
             install bubblewrap or use a kernel with Landlock (Linux 5.13 or later); only \
             `danger_full_access` runs commands without a sandbox"
        );
    }
}
