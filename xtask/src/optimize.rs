//! wasm-opt, from npm: a build of binaryen that needs nothing but Node.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::paths::Paths;

/// What rustc emits for wasm32-unknown-unknown, what wasm-bindgen adds, and simd128. Named one by one
/// so that a newer binaryen does not use an encoding that the hosts lack.
const FEATURES: &[&str] = &[
    "bulk-memory",
    "exception-handling",
    "multivalue",
    "mutable-globals",
    "nontrapping-float-to-int",
    "reference-types",
    "sign-ext",
    "simd",
];

/// Optimises the wasm module `file` in place.
pub(crate) fn optimize(paths: &Paths, file: &Path) -> Result<()> {
    let tool = paths.root.join("npm/node_modules/binaryen/bin/wasm-opt");
    ensure!(tool.exists(), "wasm-opt is not installed: run `make setup` (or pass --no-opt)");
    let output = file.with_extension("optimized");
    let status = Command::new(paths.node())
        .arg(&tool)
        .arg("-O3")
        .args(FEATURES.iter().map(|feature| format!("--enable-{feature}")))
        .arg(file)
        .arg("-o")
        .arg(&output)
        .status()
        .context("cannot run Node for wasm-opt")?;
    ensure!(status.success(), "wasm-opt failed: {status}");
    fs::rename(&output, file)?;
    Ok(())
}
