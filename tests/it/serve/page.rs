//! What a person sees and does on the page.

use serde_json::json;

use super::{Served, browser::Browser};
use crate::support::Sandbox;

/// A main agent that starts three others, one of which asks for something.
pub const SCRIPT: &str = include_str!("team.yaml");

/// A session is started on the page.
pub async fn begin(browser: &mut Browser, served: &Served, agent: &str, task: &str) {
    browser.open(&served.entry()).await;
    browser.until("document.querySelector('#agent option')").await;
    let fill = format!(
        "document.querySelector('#agent').value = {}; document.querySelector('#task').value = {}; \
         document.querySelector('#model').value = 'script:script.yaml'",
        json!(agent),
        json!(task)
    );
    browser.eval(&fill).await;
    browser.click("#go").await;
    browser.until("location.pathname.startsWith('/session/')").await;
}

const ROOT: &str = "window.agentctl.session.model.root.shown";

#[tokio::test]
async fn a_team_at_work_from_its_task_to_its_result() {
    let served = Served::start(Sandbox::with(&[("script.yaml", SCRIPT)]));
    let Some(mut browser) = Browser::start(1280, 860).await else { return };
    let task = "Make parse_date understand time zones.\nKeep the old signature.";
    begin(&mut browser, &served, "orchestrator", task).await;
    // The lanes fill while the agents work, and the question shows who asks and exactly what.
    browser.until("document.querySelector('#lanes').dataset.lanes === '4'").await;
    browser.shows("orchestrator › worker#2 wants to use write_file").await;
    browser.shows("creates date_test.rs").await;
    browser.until("document.querySelector('.lane-label[data-status=waiting]')").await;
    let label = "document.querySelector('.lane-label[data-status=waiting]').innerText";
    assert!(browser.eval(label).await.as_str().unwrap().contains("asks: write_file"));
    // Loading the page again in the middle loses nothing.
    let count = browser.eval("window.agentctl.session.model.count").await;
    browser.reload().await;
    browser.until("document.querySelector('#lanes').dataset.lanes === '4'").await;
    browser.until(&format!("window.agentctl.session.model.count >= {count}")).await;
    browser.shows("Keep the old signature.").await;
    // Neither does a connection that breaks.
    browser.eval("window.agentctl.rpc.socket.close()").await;
    browser.shows("Connection lost").await;
    browser.until("window.agentctl.rpc.open && document.querySelector('#banner').hidden").await;
    // Answered once, the question is gone in every window.
    let other = "import('/assets/rpc.js').then(({ Rpc }) => { window.told = []; \
                 const other = new Rpc(); other.on('request', (one) => window.told.push(one.method)); \
                 other.on('notification', (one) => window.told.push(one.method)); })";
    browser.eval(other).await;
    browser.until("window.told.length > 0").await;
    browser.click(".ask button.main").await;
    browser.until("!document.querySelector('.ask')").await;
    browser.until("window.told.includes('approval/resolved')").await;
    browser.until(&format!("{ROOT} === 'completed'")).await;
    assert!(served.sandbox.path("date_test.rs").exists());
    browser.shows("all three callers keep working").await;
    let gaps = "const m = window.agentctl.session.model; m.nextSeq === m.count";
    assert_eq!(browser.eval(gaps).await, true, "every event was taken once");
    // Who started whom, who told whom, who handed in what.
    let kinds = "['spawn', 'send', 'result'].map((kind) => \
                 window.agentctl.session.model.arrows.filter((arrow) => arrow.kind === kind).length)";
    assert_eq!(browser.eval(kinds).await, json!([3, 1, 4]));
    // A call with which one agent acts on others leads to them.
    let choose = "const s = window.agentctl.session; \
                  s.choose(s.model.root.calls.find((call) => call.collab?.verb === 'spawn_agent'))";
    browser.eval(choose).await;
    browser.shows("1 receiver").await;
    browser.shows("Find every caller of parse_date.").await;
    browser.click(".collab .links .agent-link").await;
    browser.until("document.querySelector('#detail .path').innerText.includes('explorer#1')").await;
    browser.shows("Three callers: main.rs, report.rs and import.rs.").await;
    // Another mode, and the next turn uses it: the script would fail otherwise.
    browser.until("document.querySelector('#mode option[value=plan]')").await;
    browser
        .eval("document.querySelector('#mode').value = 'plan'; document.querySelector('#say').value = 'What next?'")
        .await;
    browser.eval("document.querySelector('.say').requestSubmit()").await;
    browser.shows("Next I would plan the release.").await;
    browser.until(&format!("{ROOT} === 'completed'")).await;
    // It is on the first page now.
    browser.open(&served.url("/")).await;
    browser.until("document.querySelector('.session-link')").await;
    assert_eq!(served.terminate(), Some(0));
}

#[tokio::test]
async fn what_agents_say_is_text_and_nothing_else() {
    let evil = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>";
    let link = "[click](javascript:window.hacked=1)";
    let script = format!(
        "turns:\n  - text: '{evil} {link}'\n    thinking: '{evil}'\n    tool_calls:\n      \
         - {{name: set_thread_note, arguments: {{id: '0', note: '{evil}'}}}}\n      \
         - {{name: read_file, arguments: {{path: page.html}}}}\n      \
         - {{name: write_file, arguments: {{path: out.html, content: '{evil}'}}}}\n  \
         - tool_calls: [{{name: complete_task, arguments: {{result: '{evil}'}}}}]\n"
    );
    let agent = format!("---\nname: evil\ndescription: '{evil}'\ntools: '{evil}'\n---\n\n{evil}\n");
    let files = [
        ("script.yaml", script.as_str()),
        ("page.html", evil),
        (".claude/agents/evil.md", agent.as_str()),
    ];
    let served = Served::start(Sandbox::with(&files));
    let Some(mut browser) = Browser::start(1280, 860).await else { return };
    begin(&mut browser, &served, "orchestrator", evil).await;
    let clean = "window.hacked === undefined && !document.querySelector('#main img, #main script, \
                 #approvals img, #main a[href^=\"javascript:\"]')";
    browser.shows("wants to use write_file").await;
    browser.shows(evil).await;
    assert_eq!(browser.eval(clean).await, true);
    browser.click(".ask button.danger").await;
    browser.until(&format!("{ROOT} === 'completed'")).await;
    assert!(!served.sandbox.path("out.html").exists());
    browser.shows(link).await;
    browser.until("document.querySelector('.tree .note').innerText.includes('<img')").await;
    // Everything that can be chosen is shown once.
    let all = "(async () => { const s = window.agentctl.session; for (const agent of s.model.lanes) { \
               for (const item of s.timeline.items(agent)) { s.choose(item); \
               await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))); } } })()";
    browser.eval(all).await;
    assert_eq!(browser.eval(clean).await, true);
    browser.open(&served.url("/")).await;
    browser.shows("<img src=x").await;
    assert_eq!(browser.eval(clean).await, true);
    browser.open(&served.url("/catalog")).await;
    browser.click("[data-path='.claude/agents/evil.md']").await;
    browser.until("document.querySelector('.source').innerText.includes('<img src=x')").await;
    assert_eq!(browser.eval(clean).await, true);
}

#[tokio::test]
async fn everything_can_be_done_with_keys() {
    let asks = r##"write_file, arguments: {path: date_test.rs, content: "#[test]"}"##;
    let script = SCRIPT.replace(asks, "list_dir, arguments: {path: .}");
    let served = Served::start(Sandbox::with(&[("script.yaml", &script)]));
    let Some(mut browser) = Browser::start(1280, 860).await else { return };
    browser.open(&served.entry()).await;
    browser.until("document.querySelector('#agent option')").await;
    browser.tab_to("#task").await;
    browser.write("Go.").await;
    browser.tab_to("#model").await;
    browser.write("script:script.yaml").await;
    browser.tab_to("#go").await;
    browser.press("Enter").await;
    browser.until("document.querySelector('#lanes')?.dataset.lanes === '4'").await;
    browser.until(&format!("{ROOT} === 'completed'")).await;
    browser.tab_to("[role=treeitem]").await;
    browser.press("ArrowDown").await;
    browser.press("Enter").await;
    browser.until("document.querySelector('#detail .path').innerText.includes('explorer#1')").await;
    browser.tab_to("#lanes").await;
    browser.press("ArrowRight").await;
    browser.until("document.querySelector('.pane.detail h2').innerText === 'Run'").await;
    browser.press("ArrowRight").await;
    browser.until("document.querySelector('.pane.detail h2').innerText === 'Turn'").await;
    browser.press("ArrowDown").await;
    browser.until("document.querySelector('#detail .path').innerText.includes('worker#1')").await;
    browser.until("document.querySelector('#said').innerText.includes('worker#1')").await;
    browser.press("Enter").await;
    browser.until("document.activeElement.id === 'detail'").await;
    browser.press("?").await;
    browser.until("document.querySelector('dialog[open]')").await;
    browser.press("Escape").await;
    browser.until("!document.querySelector('dialog')").await;
    browser.press("/").await;
    browser.until("document.activeElement.id === 'say'").await;
}

#[tokio::test]
async fn an_agent_that_hangs_can_be_stopped() {
    let script = "turns:\n  - {hang: true}\n  - {text: Back again.}\n";
    let served = Served::start(Sandbox::with(&[("script.yaml", script)]));
    let Some(mut browser) = Browser::start(1280, 860).await else { return };
    begin(&mut browser, &served, "default", "Go.").await;
    browser.until(&format!("{ROOT} === 'running'")).await;
    browser.until("!document.querySelector('#interrupt').disabled").await;
    browser.click("#interrupt").await;
    browser.until(&format!("{ROOT} === 'interrupted'")).await;
    browser.eval("document.querySelector('#say').value = 'Go on.'").await;
    browser.eval("document.querySelector('.say').requestSubmit()").await;
    browser.shows("Back again.").await;
    // A server that is started again has another token, and the page says so.
    let (port, sandbox) = served.leave();
    let again = Served::on(sandbox, port);
    browser.shows("The server was started again").await;
    browser.open(&again.entry()).await;
    browser.click(".session-link").await;
    browser.shows("Back again.").await;
}

#[tokio::test]
async fn the_catalog_shows_findings_at_their_place_and_what_hosts_would_do() {
    let served = Served::start(Sandbox::project("claude"));
    let Some(mut browser) = Browser::start(1280, 860).await else { return };
    browser.open(&served.entry()).await;
    browser.open(&served.url("/catalog")).await;
    browser.click("[data-path='.claude/agents/unquoted-colon.md']").await;
    browser.shows("this value needs quotes").await;
    browser.shows("unquoted-text").await;
    browser.shows("help: put it in quotes").await;
    let marked = "document.querySelector('.source li[data-line=\"3\"] mark').innerText";
    let text = "Designs HTTP interfaces. Use when: an endpoint is added or changed";
    assert_eq!(browser.eval(marked).await, text);
    let own = "document.querySelector('tr[data-host=claude]').innerText";
    assert!(browser.eval(own).await.as_str().unwrap().contains("✕ no"));
    browser.click("[data-path='builtin:Explore.md']").await;
    browser.shows("What agentctl grants to it as a sub-agent").await;
    browser.shows("Nothing to report.").await;
}
