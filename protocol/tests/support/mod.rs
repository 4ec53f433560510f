//! What the integration tests share: the fixtures, the known test keys and the receiver's ladder.
#![allow(dead_code, unused_macros, unused_imports, reason = "each test binary uses a part of it")]
#![allow(unreachable_pub, reason = "a test binary exports nothing")]

pub mod faults;
pub mod ladder;
pub mod letter;

use agentpair_protocol::identity::Keypair;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The text of a file of `fixtures/`, compiled in: a missing file fails the build, not a path at run time.
macro_rules! fixture {
    ($path:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/", $path))
    };
}
pub(crate) use fixture;

/// A fixture of JSON.
pub fn parse<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap()
}

/// Bytes of a hex text.
pub fn bytes(hex: &str) -> Vec<u8> {
    hex::decode(hex).unwrap()
}

/// Bytes of a hex text of known length.
pub fn array<const N: usize>(hex: &str) -> [u8; N] {
    bytes(hex).try_into().unwrap()
}

/// One entry of `keys.json`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownKey {
    pub secret_key_hex: String,
    pub public_key_hex: String,
    pub agent_id: String,
}

/// The entry of that name in `keys.json`.
pub fn known(name: &str) -> KnownKey {
    let mut keys: std::collections::BTreeMap<String, KnownKey> = parse(fixture!("agentpair-1.0-draft/keys.json"));
    keys.remove(name).unwrap()
}

/// The key pair of that name in `keys.json`.
pub fn key(name: &str) -> Keypair {
    Keypair::from_seed(array(&known(name).secret_key_hex))
}

/// Strict verification by the library's own method, for comparison with ours.
pub fn verify_strict(key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let Ok(signature) = ed25519_dalek::Signature::from_slice(signature) else { return false };
    ed25519_dalek::VerifyingKey::from_bytes(key.try_into().unwrap())
        .is_ok_and(|key| key.verify_strict(message, &signature).is_ok())
}
