//! Builds what JavaScript loads: the wasm of the npm package, and the Worker of the relay.
//!
//! `cargo xtask wasm` and `cargo xtask worker` each compile one crate for wasm32, bind it with
//! wasm-bindgen, run wasm-opt over it, and leave the files where npm and the Worker expect them.
//! Both do nothing but ask cargo when nothing changed.

mod bind;
mod compile;
mod optimize;
mod paths;
mod recipe;
mod stamp;
mod text;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::paths::Paths;
use crate::recipe::Recipe;

const USAGE: &str = "usage: cargo xtask <wasm|worker|panicking-worker> [--no-opt]

  wasm      npm/dist/wasm/{agentpair.js, agentpair.d.ts, agentpair_bg.wasm}
  worker    worker-relay/build/{index.js, bindings.js, bindings_bg.wasm, snippets/}
  panicking-worker
            target/panicking-worker/, a Worker that panics when asked: only the test of its guard runs it
  --no-opt  skip wasm-opt: faster to build, slower to run";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let mut recipe = None;
    let mut optimize = true;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "wasm" => recipe = Some(Recipe::Wasm),
            "worker" => recipe = Some(Recipe::Worker),
            "panicking-worker" => recipe = Some(Recipe::PanickingWorker),
            "--no-opt" => optimize = false,
            _ => bail!("unknown argument `{argument}`\n{USAGE}"),
        }
    }
    match recipe {
        Some(recipe) => recipe::run(recipe, &Paths::find()?, optimize),
        None => bail!("{USAGE}"),
    }
}
