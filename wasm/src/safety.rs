//! What two humans, or two machines, compare.

use agentpair_protocol::safety;
use wasm_bindgen::prelude::*;

use crate::error::{CodedError, coded};
use crate::identity::peer;

/// Five groups of six digits, the same on both sides. Takes a good third of a second and 64 MiB.
///
/// # Errors
/// `invalid_argument` for a text that is no agent id, `safety_unavailable` where 64 MiB cannot be had: compare the
/// keys digest instead.
#[wasm_bindgen(js_name = safetyNumber)]
pub fn safety_number(one: &str, other: &str) -> Result<Vec<String>, CodedError> {
    let number = safety::safety_number(&peer(one)?, &peer(other)?)
        .map_err(|_| coded("safety_unavailable", "policy", "64 MiB of memory cannot be had"))?;
    Ok(number.to_vec())
}

/// The digest of both keys, the same on both sides.
///
/// # Errors
/// `invalid_argument` for a text that is no agent id.
#[wasm_bindgen(js_name = keysDigest)]
pub fn keys_digest(one: &str, other: &str) -> Result<Vec<u8>, CodedError> {
    Ok(safety::keys_digest(&peer(one)?, &peer(other)?).to_vec())
}
