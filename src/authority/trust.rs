//! Files the user trusts with tools that change things: exactly as they were when they were trusted.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The SHA-256 of a file, in hexadecimal.
pub type Fingerprint = String;

/// The SHA-256 of some bytes, in hexadecimal.
pub fn fingerprint(bytes: &[u8]) -> Fingerprint {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The files a user trusts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trust {
    /// Each with what it was.
    #[serde(default)]
    pub files: Vec<TrustedFile>,
}

/// A file and what it was when it was trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustedFile {
    /// Its absolute path, without links.
    pub path: PathBuf,
    /// What it was.
    pub sha256: Fingerprint,
}

impl Trust {
    /// Whether the file at `path`, which holds `bytes`, is trusted as it is.
    pub fn holds(&self, path: &Path, bytes: &[u8]) -> bool {
        let mut known = self.files.iter().filter(|file| file.path == path).peekable();
        // Most files are not trusted at all, and need not be hashed.
        known.peek().is_some() && {
            let now = fingerprint(bytes);
            known.any(|file| file.sha256 == now)
        }
    }

    /// Trusts the file as it is; what it was before no longer counts.
    pub fn add(&mut self, path: &Path, bytes: &[u8]) {
        self.remove(path);
        self.files.push(TrustedFile { path: path.to_owned(), sha256: fingerprint(bytes) });
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
    }

    /// No longer trusts the file. Whether it was trusted.
    pub fn remove(&mut self, path: &Path) -> bool {
        let before = self.files.len();
        self.files.retain(|file| file.path != path);
        self.files.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edited_file_is_no_longer_trusted() {
        let mut trust = Trust::default();
        let path = Path::new("/p/a.md");
        trust.add(path, b"one");
        assert!(trust.holds(path, b"one"));
        assert!(!trust.holds(path, b"two"));
        assert!(!trust.holds(Path::new("/p/b.md"), b"one"));
        trust.add(path, b"two");
        assert!(!trust.holds(path, b"one"));
        assert!(trust.remove(path) && !trust.remove(path));
    }

    #[test]
    fn fingerprints_are_sha_256() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(fingerprint(b""), empty);
    }
}
