//! Boxes for what lies on a disk.

use agentpair_protocol::error::Bug;
use agentpair_protocol::secret::Secret;
use agentpair_protocol::vault;
use wasm_bindgen::prelude::*;
use zeroize::Zeroizing;

use crate::error::{CodedError, coded, failed, invalid};
use crate::random;

/// A key from a passphrase: 32 bytes, by Argon2id over 64 MiB in three passes. Takes a good third of a second.
///
/// # Errors
/// `invalid_argument` for a salt that is not 16 bytes long, `not_now` where 64 MiB cannot be had.
#[wasm_bindgen]
pub fn stretch(passphrase: String, salt: &[u8]) -> Result<Vec<u8>, CodedError> {
    let passphrase = Zeroizing::new(passphrase);
    if salt.len() != vault::SALT_BYTES {
        return Err(invalid("the salt is not 16 bytes"));
    }
    let key = vault::stretch::<32>(passphrase.as_bytes(), salt)
        .map_err(|_| coded("not_now", "policy", "64 MiB of memory cannot be had"))?;
    Ok(key.expose().to_vec())
}

/// Seals bytes under a key of 32 bytes. `context` says what they are: under another one the box does not open.
///
/// # Errors
/// `invalid_argument` for a key of another length.
#[wasm_bindgen(js_name = sealBox)]
pub fn seal_box(key: &[u8], context: &str, bytes: &[u8]) -> Result<Vec<u8>, CodedError> {
    vault::seal(&key_of(key)?, context, bytes, &mut random::rng()?).ok_or_else(|| failed(&Bug::Serialise.into()))
}

/// Opens what `sealBox` made.
///
/// # Errors
/// `cannot_open` if it was made under another key or context, or altered; `invalid_argument`.
#[wasm_bindgen(js_name = openBox)]
pub fn open_box(key: &[u8], context: &str, sealed: &[u8]) -> Result<Vec<u8>, CodedError> {
    vault::open(&key_of(key)?, context, sealed.to_vec())
        .ok_or_else(|| coded("cannot_open", "caller", "wrong key, or the box was altered"))
}

fn key_of(bytes: &[u8]) -> Result<Secret<32>, CodedError> {
    bytes.try_into().map(Secret::new).map_err(|_| invalid("the key is not 32 bytes"))
}
