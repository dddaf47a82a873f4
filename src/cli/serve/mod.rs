//! `agentctl serve`.

mod questions;

use std::{
    net::Ipv4Addr,
    process::{Command, Stdio},
    sync::Arc,
};

use anyhow::{Context as _, Result};
use tokio::net::TcpListener;

use super::{
    Exit,
    args::ServeArgs,
    run::{listen, runtime, served::Sessions},
    world::World,
};
use crate::{
    app_server::Server,
    serve::{Page, Token},
};
use questions::Questions;

/// What opens an address in the user's browser.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

pub(super) fn run(world: &mut World, args: &ServeArgs) -> Result<Exit> {
    let runtime = runtime()?;
    let stop = listen(&runtime)?;
    let server = Server::new(Arc::new(Sessions::new(world)));
    let served: Result<()> = runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).await;
        let listener = listener.with_context(|| format!("cannot listen on port {}", args.port))?;
        let token = Token::new().context("the system has no randomness")?;
        let page = Page {
            listener,
            token,
            server: Arc::clone(&server),
            extra: Arc::new(Questions(world.afresh())),
        };
        let address = page.address()?;
        world.announce(&address)?;
        world.note("Ctrl-C ends it. Whoever knows this address can do what you can do here.");
        if args.open {
            open(world, &address);
        }
        page.serve(stop).await?;
        server.shut_down().await;
        Ok(())
    });
    runtime.shutdown_background();
    served.map(|()| Exit::Done)
}

/// Opens the page. Where that does not work, the address is there to be opened by hand.
fn open(world: &mut World, address: &str) {
    let mut command = Command::new(OPENER);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(error) = command.spawn() {
        world.note(&format!("cannot start `{OPENER}`: {error}"));
    }
}
