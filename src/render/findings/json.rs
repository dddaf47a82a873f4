//! `--format json`: one object, also when there is nothing to say.
//!
//! Written straight from the findings: a run over many files has many of them.

use serde::{Serialize, Serializer, ser::SerializeStruct as _};

use super::{Report, Summary};
use crate::{
    lint::{Edit, Finding, Fix, Level, Safety},
    text::Position,
};

/// The report, ready to be written as JSON.
pub fn findings_json<'a>(report: &'a Report<'a>) -> impl Serialize + 'a {
    Log(report)
}

struct Log<'a>(&'a Report<'a>);

impl Serialize for Log<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut log = serializer.serialize_struct("Report", 4)?;
        log.serialize_field("version", &1)?;
        log.serialize_field("files", &self.0.files())?;
        log.serialize_field::<Summary>("summary", &self.0.summary())?;
        log.serialize_field("findings", &Findings(self.0))?;
        log.end()
    }
}

struct Findings<'a>(&'a Report<'a>);

impl Serialize for Findings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.findings().map(FindingView::new))
    }
}

#[derive(Serialize)]
struct FindingView<'a> {
    rule: &'static str,
    severity: Level,
    path: &'a str,
    agent: &'a str,
    start: Position,
    end: Position,
    message: &'a str,
    help: Option<&'a str>,
    hosts: &'a [&'static str],
    fix: Option<FixView<'a>>,
}

#[derive(Serialize)]
struct FixView<'a> {
    safety: Safety,
    title: &'a str,
    edits: Vec<EditView<'a>>,
}

#[derive(Serialize)]
struct EditView<'a> {
    start: u32,
    end: u32,
    text: &'a str,
}

impl<'a> FindingView<'a> {
    fn new(finding: &'a Finding) -> Self {
        let edit = |edit: &'a Edit| EditView {
            start: edit.span.start,
            end: edit.span.end,
            text: &edit.text,
        };
        let fix = |fix: &'a Fix| FixView {
            safety: fix.safety,
            title: &fix.title,
            edits: fix.edits.iter().map(edit).collect(),
        };
        Self {
            rule: finding.rule.name,
            severity: finding.level,
            path: &finding.path,
            agent: &finding.agent,
            start: finding.start,
            end: finding.end,
            message: &finding.message,
            help: finding.help.as_deref(),
            hosts: &finding.hosts,
            fix: finding.fix.as_ref().map(fix),
        }
    }
}
