//! A browser without a screen, driven over the DevTools protocol.

use std::{
    fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use base64::Engine as _;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::{Mutex, MutexGuard};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async_with_config,
    tungstenite::{Message, protocol::WebSocketConfig},
};

/// How long something may take to appear.
const PATIENCE: Duration = Duration::from_secs(40);
/// How often is looked.
const POLL: Duration = Duration::from_millis(50);

/// Browsers are heavy: one at a time.
static TURN: Mutex<()> = Mutex::const_new(());

/// A browser with one page.
pub struct Browser {
    socket: WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>,
    session: String,
    next: u64,
    child: Child,
    _folder: TempDir,
    _turn: MutexGuard<'static, ()>,
}

/// The browser's program, if there is one; there must be where changes are checked before they land.
fn program() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    let mut all = named.into_iter().chain(known.iter().map(PathBuf::from));
    let found = all.find(|path| path.is_file());
    if found.is_none() {
        crate::support::not_tested(
            "the page of `agentctl serve` needs Chromium: install the package `chromium` \
             (`apt-get install chromium`), or set CHROMIUM to its program",
        );
    }
    found
}

impl Browser {
    /// Starts one whose page is this large, where there is one.
    pub async fn start(width: u32, height: u32) -> Option<Self> {
        let program = program()?;
        let turn = TURN.lock().await;
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args(["--no-first-run", "--remote-debugging-port=0", "--hide-scrollbars"])
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .arg("about:blank")
            .env("HOME", folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let file = folder.path().join("DevToolsActivePort");
        let end = Instant::now() + PATIENCE;
        let address = loop {
            let text = fs::read_to_string(&file).unwrap_or_default();
            if let Some((port, path)) = text.trim().split_once('\n') {
                break format!("ws://127.0.0.1:{port}{path}");
            }
            assert!(child.try_wait().unwrap().is_none(), "Chromium does not start");
            assert!(Instant::now() < end, "Chromium does not start");
            tokio::time::sleep(POLL).await;
        };
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let (socket, _) = connect_async_with_config(address, Some(config), false).await.unwrap();
        let mut browser =
            Self { socket, session: String::new(), next: 0, child, _folder: folder, _turn: turn };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" })).await;
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", attach).await;
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        browser.call("Page.enable", json!({})).await;
        browser.size(width, height).await;
        Some(browser)
    }

    /// Calls a method of the protocol.
    pub async fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(message.to_string())).await.unwrap();
        loop {
            let message = self.socket.next().await.unwrap().unwrap();
            let Message::Text(text) = message else { continue };
            let answer: Value = serde_json::from_str(&text).unwrap();
            if answer["id"] == self.next {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
        }
    }

    /// Makes the page this large.
    pub async fn size(&mut self, width: u32, height: u32) {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
        });
        self.call("Emulation.setDeviceMetricsOverride", size).await;
    }

    /// Makes the page dark or light.
    pub async fn prefer(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features })).await;
    }

    /// Opens an address.
    pub async fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": url })).await;
        self.until("document.readyState === 'complete'").await;
    }

    /// Loads the page again.
    pub async fn reload(&mut self) {
        self.eval("window.before = true").await;
        self.call("Page.reload", json!({})).await;
        self.until("!window.before && document.readyState === 'complete'").await;
    }

    /// What an expression, or what it promises, comes to.
    pub async fn eval(&mut self, expression: &str) -> Value {
        let params = json!({
            "expression": expression, "awaitPromise": true, "returnByValue": true,
        });
        let result = self.call("Runtime.evaluate", params).await;
        let thrown = &result["exceptionDetails"];
        assert!(thrown.is_null(), "{expression}: {thrown}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub async fn until(&mut self, condition: &str) {
        let end = Instant::now() + PATIENCE;
        let safe = format!(
            "(() => {{ try {{ return Boolean({condition}); }} catch {{ return false; }} }})()"
        );
        while self.eval(&safe).await != true {
            if Instant::now() > end {
                let text = self.eval("document.body.innerText").await;
                panic!("never: {condition}\n{}", text.as_str().unwrap_or_default());
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Waits until the page shows this text.
    pub async fn shows(&mut self, text: &str) {
        self.until(&format!("document.body.innerText.includes({})", json!(text))).await;
    }

    /// Clicks on what a selector finds.
    pub async fn click(&mut self, selector: &str) {
        let found = format!("document.querySelector({})", json!(selector));
        self.until(&found).await;
        self.eval(&format!("{found}.click()")).await;
    }

    /// Presses a key.
    pub async fn press(&mut self, key: &str) {
        let text = match key {
            "Enter" => "\r",
            one if one.chars().count() == 1 => one,
            _ => "",
        };
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "Escape" => 27,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => 0,
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key, "windowsVirtualKeyCode": code });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", event).await;
        }
    }

    /// Writes where the focus is.
    pub async fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text })).await;
    }

    /// Presses Tab until the focus is on what a selector finds.
    pub async fn tab_to(&mut self, selector: &str) {
        let there = format!("document.activeElement.matches({})", json!(selector));
        for _ in 0..60 {
            if self.eval(&there).await == true {
                return;
            }
            self.press("Tab").await;
        }
        panic!("Tab never leads to {selector}");
    }

    /// A picture of the page.
    pub async fn picture(&mut self) -> Vec<u8> {
        let shot = self.call("Page.captureScreenshot", json!({ "format": "png" })).await;
        let text = shot["data"].as_str().unwrap();
        base64::engine::general_purpose::STANDARD.decode(text).unwrap()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
