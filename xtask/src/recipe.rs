//! The things this program makes, and the steps of making them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::bind::bind;
use crate::compile::compile;
use crate::optimize::optimize;
use crate::paths::Paths;
use crate::stamp::Stamp;
use crate::text::refuse_machine_paths;

/// What to build.
#[derive(Clone, Copy)]
pub(crate) enum Recipe {
    /// The wasm module of the npm package.
    Wasm,
    /// The relay.
    Worker,
    /// The relay with a route that panics. It is never written where the relay is run or deployed from.
    PanickingWorker,
}

impl Recipe {
    /// The crate that is compiled.
    fn package(self) -> &'static str {
        match self {
            Self::Wasm => "agentpair-wasm",
            Self::Worker | Self::PanickingWorker => "agentpair-relay",
        }
    }

    /// The features that the crate is compiled with.
    fn features(self) -> &'static str {
        match self {
            Self::Wasm | Self::Worker => "",
            Self::PanickingWorker => "test-panic",
        }
    }

    /// The directory of the steps between.
    fn scratch(self, paths: &Paths) -> PathBuf {
        let name = match self {
            Self::Wasm | Self::Worker => self.name(),
            Self::PanickingWorker => "panicking-worker",
        };
        paths.target.join("xtask").join(name)
    }

    /// Whether this is a Worker, and so has a shim.
    pub(crate) fn is_worker(self) -> bool {
        matches!(self, Self::Worker | Self::PanickingWorker)
    }

    /// The stem of the generated files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Wasm => "agentpair",
            Self::Worker | Self::PanickingWorker => "bindings",
        }
    }

    /// Where the outputs go; the directory belongs to this program and is emptied.
    fn out(self, paths: &Paths) -> PathBuf {
        match self {
            Self::Wasm => paths.root.join("npm/dist/wasm"),
            Self::Worker => paths.root.join("worker-relay/build"),
            Self::PanickingWorker => paths.target.join("panicking-worker"),
        }
    }
}

/// Builds `recipe`, or finds that nothing has to be done.
///
/// # Errors
/// When a step fails; the outputs of the last good build then stay as they were.
pub(crate) fn run(recipe: Recipe, paths: &Paths, with_wasm_opt: bool) -> Result<()> {
    let module = compile(paths, recipe.package(), recipe.features())?;
    let scratch = recipe.scratch(paths);
    let out = recipe.out(paths);
    let script = format!("{}.js", recipe.name());
    let wasm = format!("{}_bg.wasm", recipe.name());

    fs::create_dir_all(&scratch)?;
    let stamp = Stamp::new(scratch.join("stamp"), &module, with_wasm_opt)?;
    if !stamp.is_fresh(&[out.join(&script), out.join(&wasm)]) {
        let stage = scratch.join("stage");
        empty(&stage)?;
        bind(recipe, &module, &stage)?;
        if with_wasm_opt {
            optimize(paths, &stage.join(&wasm))?;
        }
        refuse_machine_paths(paths, &stage.join(&script))?;
        refuse_machine_paths(paths, &stage.join(&wasm))?;
        empty(&out)?;
        copy(&stage, &out)?;
        stamp.save()?;
        let size = fs::metadata(out.join(&wasm))?.len();
        println!("xtask: {} ({} KiB)", relative(paths, &out.join(&wasm)), size.div_ceil(1024));
    }
    if recipe.is_worker() {
        // Copied every time: it is small, and changes without the wasm.
        copy(&paths.root.join("worker-relay/shim"), &out)?;
    }
    Ok(())
}

fn relative(paths: &Paths, file: &Path) -> String {
    file.strip_prefix(&paths.root).unwrap_or(file).display().to_string()
}

fn empty(directory: &Path) -> Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    fs::create_dir_all(directory)?;
    Ok(())
}

/// Copies the files in `from`, and in its directories, into `to`.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    let entries = fs::read_dir(from).with_context(|| format!("no {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}
