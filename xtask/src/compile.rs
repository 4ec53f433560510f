//! Compiles one crate of the workspace for wasm32, without leaving this machine's paths in it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::paths::Paths;

const TARGET: &str = "wasm32-unknown-unknown";

/// Builds `package` with `features` in release mode and returns the path of its wasm module.
pub(crate) fn compile(paths: &Paths, package: &str, features: &str) -> Result<PathBuf> {
    let flags = remap_flags(paths)?;
    let quoted: Vec<String> = flags.iter().map(|flag| format!("{flag:?}")).collect();
    let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(&paths.root)
        // These would replace the flags of .cargo/config.toml and ours, not add to them.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .args(["build", "--release", "--lib", "--target", TARGET])
        .args(["--package", package, "--features", features])
        .arg("--target-dir")
        .arg(&paths.target)
        .arg("--config")
        .arg(format!("target.{TARGET}.rustflags=[{}]", quoted.join(",")))
        .status()
        .context("cannot run cargo")?;
    ensure!(status.success(), "cargo could not build {package}");
    let file = format!("{}.wasm", package.replace('-', "_"));
    Ok(paths.target.join(TARGET).join("release").join(file))
}

/// Panic locations hold source paths. Each directory that sources come from gets a neutral name;
/// of several that match, rustc takes the last one given.
fn remap_flags(paths: &Paths) -> Result<Vec<String>> {
    let mut flags = Vec::new();
    let mut remap = |from: &Path, to: &str| -> Result<()> {
        let from = from.to_str().context("a path is not UTF-8")?;
        flags.push(format!("--remap-path-prefix={from}={to}"));
        Ok(())
    };
    remap(&paths.root, "/agentpair")?;
    remap(&paths.sysroot, "/rust")?;
    remap(&paths.cargo_home, "/cargo")?;
    // The directory's name holds the registry's host: it must go too.
    for registry in directories(&paths.cargo_home.join("registry/src"))? {
        remap(&registry, "/crates")?;
    }
    Ok(flags)
}

/// The directories in `parent`, sorted; none if it does not exist.
fn directories(parent: &Path) -> Result<Vec<PathBuf>> {
    if !parent.exists() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(parent)? {
        let path = entry?.path();
        if path.is_dir() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
