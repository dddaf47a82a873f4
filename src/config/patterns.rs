//! Glob patterns of a settings file.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// A value that means nothing, and why.
pub(super) struct BadValue {
    pub written: String,
    pub message: String,
}

/// What `patterns` match, by absolute paths. They are relative to `folder`; `*` stays in a folder,
/// `**` does not, and the name of a folder stands for everything in it.
pub(super) fn glob_set(folder: &Path, patterns: &[String]) -> Result<GlobSet, BadValue> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let bad = |error: globset::Error| BadValue {
            written: pattern.clone(),
            message: error.kind().to_string(),
        };
        let relative = pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/');
        // Only what the user wrote is a pattern, not the folder it is relative to.
        let whole = if Path::new(relative).is_absolute() {
            relative.to_owned()
        } else {
            format!("{}/{relative}", globset::escape(&folder.to_string_lossy()))
        };
        for written in [whole.clone(), format!("{whole}/**")] {
            set.add(GlobBuilder::new(&written).literal_separator(true).build().map_err(bad)?);
        }
    }
    set.build().map_err(|error| BadValue { written: String::new(), message: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stays_in_its_folder_and_a_folder_is_everything_in_it() {
        let set = |pattern: &str| glob_set(Path::new("/p[1]"), &[pattern.to_owned()]).ok().unwrap();
        assert!(set("agents/*.md").is_match("/p[1]/agents/a.md"));
        assert!(!set("agents/*.md").is_match("/p[1]/agents/old/a.md"));
        assert!(set("agents/**/*.md").is_match("/p[1]/agents/old/a.md"));
        for folder in ["agents/old", "./agents/old/", "/p[[]1]/agents/old"] {
            assert!(set(folder).is_match("/p[1]/agents/old/a.md"), "{folder}");
            assert!(!set(folder).is_match("/p[1]/agents/older/a.md"), "{folder}");
        }
    }
}
