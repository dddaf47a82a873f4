//! `agentctl serve`: who gets in, and what they see.

mod browser;
mod page;
mod pictures;
mod security;
mod weight;

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use crate::support::{PATIENCE, Sandbox};

/// A server that runs until it is dropped.
pub struct Served {
    pub sandbox: Arc<Sandbox>,
    pub port: u16,
    pub token: String,
    child: Child,
}

impl Served {
    /// Starts `agentctl serve` in a working directory.
    pub fn start(sandbox: Sandbox) -> Self {
        Self::on(Arc::new(sandbox), 0)
    }

    /// Starts it on a port.
    pub fn on(sandbox: Arc<Sandbox>, port: u16) -> Self {
        let mut command = sandbox.command(&["serve", "--port", &port.to_string()]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let rest = address.trim().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = rest.split_once("/?token=").unwrap();
        Self { port: port.parse().unwrap(), token: token.to_owned(), sandbox, child }
    }

    /// The address of a page, without the token.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The address that was printed.
    pub fn entry(&self) -> String {
        self.url(&format!("/?token={}", self.token))
    }

    /// Sends a request as it stands and reads the answer's head and what follows it at once.
    pub fn raw(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Asks for `path` with these headers besides `Host`.
    pub fn get(&self, path: &str, headers: &[(&str, &str)]) -> String {
        let mut all = vec![("Host", format!("127.0.0.1:{}", self.port))];
        all.extend(headers.iter().map(|(name, value)| (*name, (*value).to_owned())));
        self.raw(&request("GET", path, &all))
    }

    /// The header that lets a program in.
    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// Ends it; its port and its working directory are free.
    pub fn leave(self) -> (u16, Arc<Sandbox>) {
        let (port, sandbox) = (self.port, Arc::clone(&self.sandbox));
        assert_eq!(self.terminate(), Some(0));
        (port, sandbox)
    }

    /// Asks it to end, and waits until it has.
    pub fn terminate(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap();
        let end = Instant::now() + Duration::from_secs(20);
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the server does not end");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A request whose answer ends the connection.
pub fn request(method: &str, path: &str, headers: &[(&str, String)]) -> String {
    let headers: String =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n")
}
