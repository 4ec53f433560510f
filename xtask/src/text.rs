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
    haystack
        .windows(needle.len())
        .any(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::contains;

    #[test]
    fn finds_a_path_anywhere_and_nothing_else() {
        assert!(contains(b"/home/x/a.rs", b"/home/x"));
        assert!(contains(b"\0\0/home/x", b"/home/x"));
        assert!(!contains(b"/home/y", b"/home/x"));
        assert!(!contains(b"/h", b"/home/x"));
    }
}
