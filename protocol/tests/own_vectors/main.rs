//! `fixtures/agentpair-own/`: what this implementation adds to the draft, as vectors. Each file is made here and compared
//! with what is stored, natively and in wasm; then every case is judged by the code that judges in use.
//!
//! `UPDATE=1 cargo test --package agentpair-protocol --test own_vectors` writes the files anew. npm/test/independent.test.ts
//! judges the same cases by other libraries and by SPEC.md alone.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

#[path = "../support/mod.rs"]
mod support;

mod agreement;
mod approval;
mod audit;
mod bind;
mod challenge;
mod invite;
mod receipt;
mod safety;
mod signatures;
mod spake;

use agentpair_protocol::identity::Keypair;
use serde_json::Value;

/// Alice and Bob are those of `keys.json`; Mallory is nobody's peer.
fn keys() -> [Keypair; 3] {
    [1, 2, 3].map(|n| Keypair::from_seed([n; 32]))
}

/// The stored file, which is the one that is made here.
fn stored(name: &str, text: &str, made: &Value) -> Value {
    let made = format!("{}\n", serde_json::to_string_pretty(made).unwrap());
    if cfg!(not(target_family = "wasm")) && std::env::var_os("UPDATE").is_some() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/agentpair-own");
        std::fs::write(path.join(format!("{name}.json")), &made).unwrap();
        return serde_json::from_str(&made).unwrap();
    }
    assert_eq!(text, made, "{name}.json is not what is made now");
    serde_json::from_str(text).unwrap()
}

/// The stored file of that name.
macro_rules! own {
    ($name:literal, $made:expr) => {
        super::stored(
            $name,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/agentpair-own/", $name, ".json")),
            &$made,
        )
    };
}
use own;

/// The cases of a list, with their names.
fn cases<'a>(file: &'a Value, list: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    file[list].as_array().unwrap().iter().map(|case| (case["name"].as_str().unwrap(), case))
}

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap()
}
