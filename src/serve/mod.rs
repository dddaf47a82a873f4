//! A web page, served from the binary, on which a tree of agents can be watched and steered.
//!
//! It listens on loopback only ([`guard`]); the page is a client of [`app_server`](crate::app_server)
//! like any other, one connection for each WebSocket ([`socket`]).

mod assets;
mod guard;
mod routes;
mod socket;
mod token;

use std::{io, sync::Arc, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use socket::Extra;
pub use token::Token;

use guard::Guard;
use socket::Socket;

use crate::app_server::Server;

/// How long a client may take to ask something, and how long it may say nothing in between.
const HEADER_TIME: Duration = Duration::from_secs(15);
/// How long connections may take to end with the server.
const FAREWELL: Duration = Duration::from_secs(2);
/// How long to wait when there are too many connections.
const CROWDED: Duration = Duration::from_millis(100);

/// A server that is about to listen.
pub struct Page {
    /// Where browsers connect to.
    pub listener: TcpListener,
    /// What lets them in.
    pub token: Token,
    /// What they talk to.
    pub server: Arc<Server>,
    /// What they can ask besides.
    pub extra: Arc<dyn Extra>,
}

impl Page {
    /// The address to open.
    pub fn address(&self) -> io::Result<String> {
        let port = self.listener.local_addr()?.port();
        Ok(format!("http://127.0.0.1:{port}/?token={}", self.token.reveal()))
    }

    /// Serves until `stop`.
    pub async fn serve(self, stop: CancellationToken) -> io::Result<()> {
        let port = self.listener.local_addr()?.port();
        let guard = Arc::new(Guard { token: self.token, port });
        let (server, extra) = (self.server, self.extra);
        let socket = Arc::new(Socket { server, extra, stop: stop.clone() });
        let router = routes::routes(guard, socket);
        let connections = TaskTracker::new();
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                () = stop.cancelled() => break,
            };
            match accepted {
                Ok((stream, _)) => {
                    connections.spawn(attend(stream, router.clone(), stop.clone()));
                }
                // Too many are open, or this one is gone: others will come.
                Err(_) => tokio::time::sleep(CROWDED).await,
            }
        }
        connections.close();
        // Whoever does not go by then is cut off.
        tokio::time::timeout(FAREWELL, connections.wait()).await.ok();
        Ok(())
    }
}

/// Answers whatever comes over one connection.
async fn attend(stream: TcpStream, router: Router, stop: CancellationToken) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    tokio::pin!(connection);
    // What goes wrong with a connection is its client's business.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await.ok();
        }
    }
}
