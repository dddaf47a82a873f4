//! The pictures of the manual. `UPDATE_DOCS=1 cargo test pictures` takes them again.

use std::fs;

use super::{
    Served,
    browser::Browser,
    page::{SCRIPT, begin},
};
use crate::support::{Sandbox, repository};

const REVIEWER: &str = "---
agentType: reviewer
whenToUse: Review a change before it is merged.
tools: [read_file, grep_files, glob_files]
---

Review the change and report what is wrong with it.
";

async fn keep(browser: &mut Browser, name: &str) {
    let folder = repository().join("docs/images");
    fs::create_dir_all(&folder).unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    fs::write(folder.join(name), browser.picture().await).unwrap();
}

#[tokio::test]
async fn pictures_for_the_manual() {
    if std::env::var_os("UPDATE_DOCS").is_none() {
        return;
    }
    let sandbox = Sandbox::with(&[("script.yaml", SCRIPT), ("agents/reviewer.md", REVIEWER)]);
    sandbox.write("~/.config/agentctl/config.toml", "[run]\nmodel = \"script:script.yaml\"\n");
    let served = Served::start(sandbox);
    let Some(mut browser) = Browser::start(1280, 800).await else { return };
    browser.prefer("light").await;
    begin(&mut browser, &served, "orchestrator", "Make parse_date understand time zones.").await;
    browser.shows("orchestrator › worker#2 wants to use write_file").await;
    browser.until("window.agentctl.session.model.arrows.length >= 6").await;
    let chosen = "const s = window.agentctl.session; \
                  s.choose(s.model.root.calls.filter((call) => call.collab?.verb === 'spawn_agent')[1])";
    browser.eval(chosen).await;
    keep(&mut browser, "session.png").await;
    browser.prefer("dark").await;
    keep(&mut browser, "session-dark.png").await;
    browser.size(400, 1000).await;
    keep(&mut browser, "session-narrow.png").await;
    browser.size(1280, 800).await;
    browser.prefer("light").await;
    browser.click(".ask button.main").await;
    browser.until("window.agentctl.session.model.root.shown === 'completed'").await;
    browser.open(&served.url("/")).await;
    browser.until("document.querySelector('.session-link')").await;
    keep(&mut browser, "start.png").await;
    let served = Served::start(Sandbox::project("claude"));
    browser.open(&served.entry()).await;
    browser.open(&served.url("/catalog")).await;
    browser.click("[data-path='.claude/agents/wrong-keys.md']").await;
    browser.until("document.querySelector('.source mark')").await;
    keep(&mut browser, "catalog.png").await;
    browser.eval("document.querySelector('table').scrollIntoView()").await;
    keep(&mut browser, "catalog-hosts.png").await;
}
