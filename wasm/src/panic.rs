//! A panic ends the module: say where it was, since the trap that JavaScript sees does not.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
}

#[wasm_bindgen(start)]
fn tell_panics() {
    std::panic::set_hook(Box::new(|panic| error(&format!("agentpair: {panic}"))));
}
