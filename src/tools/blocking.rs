//! Work on files, done on threads that may wait, and ended soon after nobody wants it any more.

use std::{
    io::{self, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;

use super::{Root, ToolCx, ToolError};

/// Whether work should go on. Whatever takes long asks often.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    dropped: Arc<AtomicBool>,
    limit: Duration,
    deadline: Option<Instant>,
}

impl Stop {
    /// After `limit`, or when told.
    pub fn after(limit: Duration) -> Self {
        let deadline = Instant::now().checked_add(limit);
        Self { dropped: Arc::default(), limit, deadline }
    }

    /// An error once the work should end.
    pub fn check(&self) -> Result<(), ToolError> {
        if self.dropped.load(Ordering::Relaxed) {
            return Err(ToolError::refused("cancelled"));
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let seconds = self.limit.as_secs();
            return Err(ToolError::refused(format_args!(
                "this took longer than {seconds} seconds; ask for less at once"
            )));
        }
        Ok(())
    }

    /// `inner`, which fails once the work should end.
    pub fn reader<R: Read>(&self, inner: R) -> StoppedReader<'_, R> {
        StoppedReader { stop: self, inner }
    }
}

/// A reader that fails once the work should end.
#[derive(Debug)]
pub(super) struct StoppedReader<'a, R> {
    stop: &'a Stop,
    inner: R,
}

impl<R: Read> Read for StoppedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stop.check().map_err(io::Error::other)?;
        self.inner.read(buffer)
    }
}

/// Tells the work to end when whoever wanted it is gone.
struct Guard(Arc<AtomicBool>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Does `work` where waiting for a disk keeps nobody else waiting.
pub(super) async fn blocking<W>(cx: &ToolCx, work: W) -> Result<String, ToolError>
where
    W: FnOnce(&Root, &Stop) -> Result<String, ToolError> + Send + 'static,
{
    let root = cx.root.clone();
    let stop = Stop::after(cx.time_limit);
    let _guard = Guard(stop.dropped.clone());
    let done = tokio::task::spawn_blocking(move || work(&root, &stop)).await;
    done.unwrap_or_else(|error| Err(ToolError::Broken(format!("the call broke off: {error}"))))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::tools::tests::cx;

    #[tokio::test]
    async fn dropping_a_call_ends_its_work() {
        let dir = tempfile::tempdir().unwrap();
        let cx = cx(dir.path());
        let (started, starts) = tokio::sync::oneshot::channel();
        let (ended, ends) = mpsc::channel();
        let call = blocking(&cx, move |_, stop| {
            started.send(()).unwrap();
            while stop.check().is_ok() {
                std::thread::yield_now();
            }
            ended.send(()).unwrap();
            Ok(String::new())
        });
        tokio::select! {
            biased;
            _ = starts => {}
            _ = call => panic!("it ended on its own"),
        }
        ends.recv().unwrap();
    }

    #[tokio::test]
    async fn work_past_its_time_is_told_to_end() {
        let dir = tempfile::tempdir().unwrap();
        let cx = ToolCx { time_limit: Duration::ZERO, ..cx(dir.path()) };
        let error = blocking(&cx, |_, stop| {
            let mut read = Vec::new();
            assert!(stop.reader(&b"bytes"[..]).read_to_end(&mut read).is_err());
            stop.check().map(|()| String::new())
        });
        let error = error.await.unwrap_err();
        assert_eq!(error.to_string(), "this took longer than 0 seconds; ask for less at once");
    }
}
