//! wasm-bindgen, as a library.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use wasm_bindgen_cli_support::Bindgen;

use crate::recipe::Recipe;

/// Writes the JavaScript and the wasm of `module` into the empty directory `out`.
pub(crate) fn bind(recipe: Recipe, module: &Path, out: &Path) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).out_name(recipe.name()).remove_name_section(true).remove_producers_section(true);
    match recipe {
        Recipe::Wasm => {
            // The only output that every host can load: the caller says where the module comes from.
            bindgen.web(true)?.typescript(true);
        }
        Recipe::Worker | Recipe::PanickingWorker => {
            // A panic leaves the instance unusable. The shim replaces it with the reset function;
            // the abort handler is how it hears of the panic.
            bindgen.module(true)?.typescript(false).reset_state_function(true).force_enable_abort_handler(true);
        }
    }
    bindgen.generate(out).context("wasm-bindgen failed")?;
    match recipe {
        // Types of the raw exports: nobody calls those, and TypeScript would take them for the module's.
        Recipe::Wasm => fs::remove_file(out.join(format!("{}_bg.wasm.d.ts", recipe.name())))?,
        Recipe::Worker | Recipe::PanickingWorker => {
            import_without_source_phase(&out.join(format!("{}.js", recipe.name())))?;
        }
    }
    Ok(())
}

/// workerd gives a compiled module to a plain `import` of a .wasm file and knows no source phase.
fn import_without_source_phase(file: &Path) -> Result<()> {
    let text = fs::read_to_string(file)?;
    ensure!(
        text.matches("import source ").count() == 1,
        "wasm-bindgen's module output has changed: no single `import source` in {}",
        file.display()
    );
    fs::write(file, text.replace("import source ", "import "))?;
    Ok(())
}
