//! Finds this machine's paths in what is about to be published.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use crate::paths::Paths;

/// # Errors
/// When `file` names a directory of this machine.
pub(crate) fn refuse_machine_paths(paths: &Paths, file: &Path) -> Result<()> {
    let bytes = fs::read(file)?;
    for directory in [&paths.root, &paths.cargo_home, &paths.sysroot] {
        let Some(name) = directory.to_str() else {
            continue;
        };
        if contains(&bytes, name.as_bytes()) {
            bail!("{} holds the machine path {name}", file.display());
        }
    }
    if contains(&bytes, b"registry/src/") {
        bail!("{} holds the path of a registry", file.display());
    }
    Ok(())
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::contains;

    #[test]
    fn finds_a_path_anywhere_and_nothing_else() {
        assert!(contains(b"/some/place/a.rs", b"/some/place"));
        assert!(contains(b"\0\0/some/place", b"/some/place"));
        assert!(!contains(b"/some/other", b"/some/place"));
        assert!(!contains(b"/h", b"/some/place"));
    }
}
