//! Where things are, found at run time so that a moved clone keeps working.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The directories that a build reads and writes.
pub(crate) struct Paths {
    /// The workspace's root.
    pub(crate) root: PathBuf,
    /// Cargo's target directory.
    pub(crate) target: PathBuf,
    /// `$CARGO_HOME`, which holds the sources of the dependencies.
    pub(crate) cargo_home: PathBuf,
    /// The compiler's own directory, which holds the standard library.
    pub(crate) sysroot: PathBuf,
}

impl Paths {
    /// # Errors
    /// When not started by `cargo run`, or when `rustc` does not answer.
    pub(crate) fn find() -> Result<Self> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR").context("start me with `cargo xtask`")?;
        let root = Path::new(&manifest).parent().context("xtask/ has no parent")?.to_path_buf();
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(set) => root.join(set),
            None => root.join("target"),
        };
        let cargo_home = match env::var_os("CARGO_HOME") {
            Some(set) => PathBuf::from(set),
            None => env::home_dir().context("no home directory")?.join(".cargo"),
        };
        Ok(Self { root, target, cargo_home, sysroot: sysroot()? })
    }

    /// The Node to run build tools with: the project's own if `make setup` put it there.
    pub(crate) fn node(&self) -> PathBuf {
        let own = self.root.join("npm/node_modules/.bin/node");
        if own.exists() { own } else { PathBuf::from("node") }
    }
}

fn sysroot() -> Result<PathBuf> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().context("cannot run rustc")?;
    ensure!(output.status.success(), "`rustc --print sysroot` failed: {}", output.status);
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()))
}
