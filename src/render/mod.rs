//! Catalogs, definitions and problems as text and JSON.
//!
//! Everything here returns strings or values; nothing is printed.

mod data;
mod diagnostic;
mod findings;
mod host_page;
mod list;
mod paint;
mod progress;
mod sheet;
mod show;
mod table;
mod thread;
mod verdicts;

pub use data::{json_line, json_text, yaml_text};
pub use diagnostic::{Drawing, Lines, Pen};
pub use findings::{
    Report, Summary, drawn, findings_github, findings_json, findings_sarif, findings_text,
};
pub use host_page::host_page;
pub use list::{list_json, list_text};
pub use paint::Paint;
pub use progress::Activity;
pub use sheet::sheet_text;
pub use show::{show_json, show_text};
pub use thread::{
    Arrangement, Listed, Log, Told, arranged, thread_json, threads_text, transcript_text,
};

use crate::catalog::Located;

/// A place as `{line, column, byte}` twice.
fn place<T>(located: &Located<T>) -> serde_json::Value {
    serde_json::json!({ "start": located.start, "end": located.end })
}
