//! Any bytes as a definition of any host; the first byte chooses where the file lies.

#![no_main]

#[path = "../../tests/it/lint_invariants.rs"]
mod lint_invariants;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let path = lint_invariants::PATHS[usize::from(*first) % lint_invariants::PATHS.len()];
    lint_invariants::check_reading(path, rest);
});
