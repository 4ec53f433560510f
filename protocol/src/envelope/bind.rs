//! The binding of a plaintext to the envelope that carries it.

use crate::base64url;
use crate::identity::Transcript;

/// `bind` of a plaintext under `bond/1`: base64url of the first 16 bytes of the digest of the headers.
///
/// The AEAD of the draft has no associated data, and its key is the same in both directions: without
/// this, a ciphertext could be wrapped again under another type, thread or direction (weakness 3).
#[must_use]
pub fn bind(from: &str, to: &str, id: &str, kind: &str, thread: &str, seq: u64) -> String {
    let digest = Transcript::new().lp(from).lp(to).lp(id).lp(kind).lp(thread).u64(seq).digest("agentpair-bind-v1");
    base64url::encode(digest.split_at(16).0)
}
