//! All vector tests of `protocol/tests`, compiled for wasm: another curve backend, another hash, another word size.
#![cfg(target_family = "wasm")]
#![allow(clippy::duplicate_mod, reason = "each of these files is a crate of its own in protocol/tests")]

#[path = "../../protocol/tests/artifact_vectors.rs"]
mod artifact_vectors;
#[path = "../../protocol/tests/base64url_vectors.rs"]
mod base64url_vectors;
#[path = "../../protocol/tests/envelope_ladder.rs"]
mod envelope_ladder;
#[path = "../../protocol/tests/envelope_strictness.rs"]
mod envelope_strictness;
#[path = "../../protocol/tests/envelope_vectors.rs"]
mod envelope_vectors;
#[path = "../../protocol/tests/identity_vectors.rs"]
mod identity_vectors;
#[path = "../../protocol/tests/own_vectors/main.rs"]
mod own_vectors;
#[path = "../../protocol/tests/pairing_vectors.rs"]
mod pairing_vectors;
#[path = "../../protocol/tests/speccheck.rs"]
mod speccheck;
#[path = "../../protocol/tests/wycheproof.rs"]
mod wycheproof;
