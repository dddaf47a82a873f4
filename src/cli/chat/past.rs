//! What was typed in earlier conversations, kept in the state directory for this user alone.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use super::editor::{History, MAX_ENTRIES};
use crate::event::Redactor;

/// Its name in the state directory.
pub(super) const FILE: &str = "chat_history";

/// Texts longer than this are not worth having again.
const MAX_TEXT: usize = 16 << 10;

/// The file, one JSON text a line.
pub(super) struct Past {
    path: Option<PathBuf>,
    redactor: Redactor,
}

impl Past {
    /// Kept in `path`, or nowhere.
    pub fn new(path: Option<PathBuf>, redactor: Redactor) -> Self {
        Self { path, redactor }
    }

    /// What was typed before. What cannot be read is forgotten.
    pub fn load(&self) -> History {
        let Some(path) = &self.path else { return History::default() };
        let text = fs::read_to_string(path).unwrap_or_default();
        let entries: Vec<String> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let newest = entries.len().saturating_sub(MAX_ENTRIES);
        if newest > 0 {
            // If that fails, the file is only longer than it should be.
            self.replace(path, &entries[newest..]).ok();
        }
        History::of(entries.into_iter().skip(newest))
    }

    /// Remembers `text`, without keys.
    pub fn add(&self, history: &mut History, text: &str) {
        let text = self.redactor.text(text);
        if !history.add(&text) || text.len() > MAX_TEXT {
            return;
        }
        if let Some(path) = &self.path {
            // A conversation does not end because its history cannot be kept.
            append(path, &text).ok();
        }
    }

    fn replace(&self, path: &Path, entries: &[String]) -> io::Result<()> {
        let beside = path.with_extension(format!("{}.new", std::process::id()));
        fs::remove_file(&beside).ok();
        for entry in entries {
            append(&beside, entry)?;
        }
        fs::rename(beside, path)
    }
}

fn append(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    let mut line = serde_json::to_string(text).map_err(io::Error::other)?;
    line.push('\n');
    file.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_newest_are_kept_without_keys_and_for_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state").join(FILE);
        let past = Past::new(Some(path.clone()), Redactor::new(["sesame-open-1234".to_owned()]));
        let mut history = past.load();
        for number in 0..=MAX_ENTRIES {
            past.add(&mut history, &format!("{number}\nsesame-open-1234"));
            past.add(&mut history, &format!("{number}\nsesame-open-1234"));
        }
        past.load();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), MAX_ENTRIES);
        assert!(text.starts_with("\"1\\n") && !text.contains("sesame"), "{text}");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
