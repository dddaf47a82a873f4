//! Any bytes as a Markdown file.

#![no_main]

#[path = "../../tests/it/document_invariants.rs"]
mod document_invariants;

use agentctl::document::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| document_invariants::check(bytes, Format::Markdown));
