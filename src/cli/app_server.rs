//! `agentctl app-server`: JSON-RPC on stdin and stdout, one message a line.

use std::{fs::File, io, os::fd::AsFd as _, sync::Arc, time::Duration};

use anyhow::{Context as _, Result};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::{
    Exit,
    run::{listen, runtime, served::Sessions},
    world::World,
};
use crate::app_server::{Connection, MAX_MESSAGE, Server};

/// How long a client has to read what is left when the server ends.
const LAST_WORDS: Duration = Duration::from_secs(2);

pub(super) fn run(world: &mut World) -> Result<Exit> {
    let runtime = runtime()?;
    let cancel = listen(&runtime)?;
    // A client that does not read must not hold anything up that prints.
    let out = File::from(io::stdout().as_fd().try_clone_to_owned().context("there is no stdout")?);
    let server = Server::new(Arc::new(Sessions::new(world)));
    runtime.block_on(async {
        let connection = Arc::new(server.connect());
        let mut writer = tokio::spawn(write(Arc::clone(&connection), out));
        let read = tokio::select! {
            read = read(&connection) => read,
            () = cancel.cancelled() => Ok(()),
            _ = &mut writer => Ok(()),
        };
        server.shut_down().await;
        // Whoever does not read any more does not want to.
        if !writer.is_finished() {
            tokio::time::timeout(LAST_WORDS, writer).await.ok();
        }
        read
    })?;
    runtime.shutdown_background();
    Ok(Exit::Done)
}

/// Hands on what the client says, to the end.
async fn read(connection: &Connection) -> Result<()> {
    let mut input = BufReader::new(tokio::io::stdin());
    let mut line = Vec::new();
    while let Some(fits) = next_line(&mut input, &mut line).await? {
        if !fits {
            connection.skipped();
            continue;
        }
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            connection.receive(text.trim()).await;
        }
    }
    Ok(())
}

/// Reads the next line; whether it is short enough, or `None` at the end. Of one that is too long
/// nothing is kept.
async fn next_line(
    input: &mut (impl tokio::io::AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
) -> Result<Option<bool>> {
    line.clear();
    let (mut fits, mut any) = (true, false);
    loop {
        let read = input.fill_buf().await.context("cannot read stdin")?;
        if read.is_empty() {
            return Ok(any.then_some(fits));
        }
        any = true;
        let end = read.iter().position(|byte| *byte == b'\n');
        let part = &read[..end.unwrap_or(read.len())];
        if line.len() + part.len() > MAX_MESSAGE {
            fits = false;
            *line = Vec::new();
        }
        if fits {
            line.extend_from_slice(part);
        }
        let taken = part.len() + usize::from(end.is_some());
        input.consume(taken);
        if end.is_some() {
            return Ok(Some(fits));
        }
    }
}

/// Prints what the client is told. When it can no longer be told anything, that is the end.
async fn write(connection: Arc<Connection>, out: File) -> io::Result<()> {
    let mut out = tokio::fs::File::from_std(out);
    while let Some(mut text) = connection.next().await {
        text.push('\n');
        out.write_all(text.as_bytes()).await?;
        out.flush().await?;
    }
    Ok(())
}
