//! Sealing of artifacts, and the reference that an envelope carries in place of a large payload.

use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305};
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};

use crate::base64url;
use crate::envelope::NONCE_BYTES;
use crate::error::Reject;
use crate::json;
use crate::limits::{ARTIFACT_BYTES, ARTIFACT_OVERHEAD};

const ASSOCIATED: &[u8] = b"agentpair-artifact-v1";
const SUMMARY_CHARS: usize = 240;

/// The reference, in the draft's key order. Extra keys are refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpillRef {
    /// Always 1.
    pub spill: u32,
    /// SHA-256 of the sealed bytes, lowercase hex.
    pub artifact_hash: String,
    /// Bytes of the plaintext.
    pub size: u64,
    /// `application/json` or `application/octet-stream`.
    pub content_type: String,
    /// The first 240 characters of the plaintext.
    pub summary: String,
    /// base64url of the 32-byte key.
    pub artifact_key: String,
}

impl SpillRef {
    /// Reads a decrypted payload that has a top-level key `spill`; `None` if it has not.
    ///
    /// # Errors
    /// [`Reject::InvalidPayload`] for a malformed reference, [`Reject::ArtifactTooLarge`] for one to more than 10 MiB.
    pub fn read(plaintext: &[u8]) -> Result<Option<Self>, Reject> {
        let object = json::FlatObject::parse(plaintext).map_err(|_| Reject::InvalidPayload)?;
        if object.get("spill").is_none() {
            return Ok(None);
        }
        let spill: Self = serde_json::from_slice(plaintext).map_err(|_| Reject::InvalidPayload)?;
        let is_hash = is_sha256_hex(&spill.artifact_hash);
        let is_key = base64url::decode_array::<32>(&spill.artifact_key).is_ok();
        if spill.spill != 1 || !is_hash || !is_key || spill.summary.chars().count() > SUMMARY_CHARS {
            return Err(Reject::InvalidPayload);
        }
        if spill.size > ARTIFACT_BYTES as u64 {
            return Err(Reject::ArtifactTooLarge);
        }
        Ok(Some(spill))
    }
}

/// Whether the text is 64 lowercase hex characters.
#[must_use]
pub fn is_sha256_hex(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// SHA-256 as 64 lowercase hex characters.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    hex::encode(sha2::Sha256::digest(bytes))
}

/// Seals a plaintext under a fresh key. Returns the bytes to upload and the reference.
///
/// # Errors
/// [`Reject::ArtifactTooLarge`] beyond 10 MiB.
pub fn seal(plaintext: &[u8], rng: &mut impl CryptoRng) -> Result<(Vec<u8>, SpillRef), Reject> {
    let (mut key, mut nonce) = ([0; 32], [0; NONCE_BYTES]);
    rng.fill_bytes(&mut key);
    rng.fill_bytes(&mut nonce);
    seal_with(plaintext, &key, &nonce)
}

/// Seals under a given key and nonce: for vectors.
///
/// # Errors
/// As [`seal`].
#[cfg(feature = "hazmat")]
pub fn seal_with_nonce(
    plaintext: &[u8],
    key: &[u8; 32],
    nonce: &[u8; NONCE_BYTES],
) -> Result<(Vec<u8>, SpillRef), Reject> {
    seal_with(plaintext, key, nonce)
}

fn seal_with(plaintext: &[u8], key: &[u8; 32], nonce: &[u8; NONCE_BYTES]) -> Result<(Vec<u8>, SpillRef), Reject> {
    if plaintext.len() > ARTIFACT_BYTES {
        return Err(Reject::ArtifactTooLarge);
    }
    let cipher = XChaCha20Poly1305::new(key.into());
    let sealed = crate::envelope::seal_under(&cipher, nonce, ASSOCIATED, plaintext).ok_or(Reject::ArtifactTooLarge)?;
    let text = std::str::from_utf8(plaintext).ok();
    let is_json = text.is_some_and(|text| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok());
    let reference = SpillRef {
        spill: 1,
        artifact_hash: sha256_hex(&sealed),
        size: plaintext.len() as u64,
        content_type: if is_json { "application/json" } else { "application/octet-stream" }.to_owned(),
        summary: text.map(|text| text.chars().take(SUMMARY_CHARS).collect()).unwrap_or_default(),
        artifact_key: base64url::encode(key),
    };
    Ok((sealed, reference))
}

/// Opens fetched bytes: length, hash and tag must agree with the reference.
///
/// # Errors
/// [`Reject::ArtifactDecryptFailed`].
pub fn open(reference: &SpillRef, sealed: Vec<u8>) -> Result<Vec<u8>, Reject> {
    let length_agrees = sealed.len() as u64 == reference.size + ARTIFACT_OVERHEAD as u64;
    let key = base64url::decode_array::<32>(&reference.artifact_key).map_err(|_| Reject::ArtifactDecryptFailed)?;
    if !length_agrees || sha256_hex(&sealed) != reference.artifact_hash {
        return Err(Reject::ArtifactDecryptFailed);
    }
    let cipher = XChaCha20Poly1305::new((&key).into());
    crate::envelope::open_under(&cipher, ASSOCIATED, sealed).ok_or(Reject::ArtifactDecryptFailed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chacha20::ChaCha20Rng;
    use rand_core::SeedableRng as _;

    #[test]
    fn altered_artifacts_do_not_open() {
        let mut rng = ChaCha20Rng::from_seed([1; 32]);
        let (sealed, reference) = seal(b"{\"a\":1}", &mut rng).unwrap();
        assert_eq!(open(&reference, sealed.clone()).unwrap(), b"{\"a\":1}");
        let mut altered = sealed.clone();
        altered[30] ^= 1;
        let renamed = SpillRef { artifact_hash: sha256_hex(&altered), ..reference.clone() };
        assert_eq!(open(&reference, altered.clone()), Err(Reject::ArtifactDecryptFailed));
        assert_eq!(open(&renamed, altered), Err(Reject::ArtifactDecryptFailed));
        let longer = SpillRef { size: reference.size + 1, ..reference };
        assert_eq!(open(&longer, sealed), Err(Reject::ArtifactDecryptFailed));
    }

    #[test]
    fn references_are_strict() {
        let mut rng = ChaCha20Rng::from_seed([1; 32]);
        let (_, reference) = seal("é".repeat(300).as_bytes(), &mut rng).unwrap();
        assert_eq!(reference.summary.chars().count(), 240);
        let text = serde_json::to_string(&reference).unwrap();
        assert_eq!(SpillRef::read(text.as_bytes()), Ok(Some(reference)));
        assert_eq!(SpillRef::read(b"{\"body\":\"spill\"}"), Ok(None));
        let extra = text.replacen('{', "{\"x\":1,", 1);
        assert_eq!(SpillRef::read(extra.as_bytes()), Err(Reject::InvalidPayload));
        let large = text.replace("\"size\":600", "\"size\":10485761");
        assert_eq!(SpillRef::read(large.as_bytes()), Err(Reject::ArtifactTooLarge));
    }
}
