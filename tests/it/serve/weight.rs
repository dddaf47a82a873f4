//! A session with thousands of events.

use std::fmt::Write as _;

use serde_json::json;

use super::{Served, browser::Browser};
use crate::support::Sandbox;

/// Turns, and calls in each of them.
const TURNS: usize = 180;
const CALLS: usize = 13;

/// A main agent that looks around a lot.
fn script() -> String {
    let call = "{name: list_dir, arguments: {path: .}}";
    let calls = vec![call; CALLS].join(", ");
    let mut script = "turns:\n".to_owned();
    for _ in 0..TURNS {
        writeln!(script, "  - {{tool_calls: [{calls}]}}").unwrap();
    }
    script.push_str("  - {tool_calls: [{name: complete_task, arguments: {result: looked}}]}\n");
    script
}

const WATCH: &str = "window.long = []; new PerformanceObserver((list) => { \
    for (const task of list.getEntries()) window.long.push(Math.round(task.duration)); \
    }).observe({ entryTypes: ['longtask'] });";

#[tokio::test]
async fn thousands_of_events_are_shown_whole() {
    let sandbox = Sandbox::with(&[("script.yaml", &script())]);
    let arguments = ["run", "orchestrator", "Look.", "--model", "script:script.yaml"];
    let seen = sandbox.run(&[&arguments[..], &["--format", "json"]].concat());
    assert_eq!(seen.exit, Some(0), "{seen}");
    let id = seen.json()["agent_id"].as_str().unwrap().to_owned();
    let served = Served::start(sandbox);
    let Some(mut browser) = Browser::start(1280, 860).await else { return };
    browser.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WATCH })).await;
    browser.open(&served.entry()).await;
    browser.open(&served.url(&format!("/session/{id}"))).await;
    browser.until("window.agentctl.session.model.root?.shown === 'completed'").await;
    let count = browser.eval("window.agentctl.session.model.count").await;
    assert!(count.as_u64().unwrap() > 5_000, "{count}");
    let calls = browser.eval("window.agentctl.session.model.root.calls.length").await;
    assert_eq!(calls, TURNS * CALLS + 1);
    browser.until(&format!("document.querySelector('#lanes').dataset.events === '{count}'")).await;
    // Zooming in paints less than there is.
    let zoom = "for (let at = 0; at < 12; at += 1) window.agentctl.session.timeline.zoom(0.6)";
    browser.eval(zoom).await;
    let frames = "(async () => { const start = performance.now(); for (let at = 0; at < 30; at += 1) { \
        window.agentctl.session.timeline.pan(-20); await new Promise(requestAnimationFrame); } \
        return (performance.now() - start) / 30; })()";
    let frame = browser.eval(frames).await;
    let drawn = browser.eval("window.agentctl.session.timeline.painter.drawn").await;
    assert!(drawn.as_u64().unwrap() < count.as_u64().unwrap(), "{drawn}");
    let long = browser.eval("window.long").await;
    println!("{count} events; tasks over 50 ms: {long}; {frame} ms a frame; {drawn} drawn");
}
