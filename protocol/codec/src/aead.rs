//! XChaCha20-Poly1305 in the one layout of the protocol: nonce, ciphertext, tag.

use chacha20poly1305::aead::AeadInOut as _;
use chacha20poly1305::{Tag, XChaCha20Poly1305, XNonce};

/// Length of an XChaCha20-Poly1305 nonce.
pub const NONCE_BYTES: usize = 24;
const TAG_BYTES: usize = 16;

/// nonce || ciphertext || tag. `None` only beyond the cipher's limit of 256 GiB.
#[must_use]
pub fn seal_under(
    cipher: &XChaCha20Poly1305,
    nonce: &[u8; NONCE_BYTES],
    associated: &[u8],
    plaintext: &[u8],
) -> Option<Vec<u8>> {
    let mut sealed = Vec::with_capacity(NONCE_BYTES + plaintext.len() + TAG_BYTES);
    sealed.extend_from_slice(nonce);
    sealed.extend_from_slice(plaintext);
    let (_, text) = sealed.split_at_mut_checked(NONCE_BYTES)?;
    let tag = cipher.encrypt_inout_detached(&XNonce::from(*nonce), associated, text.into()).ok()?;
    sealed.extend_from_slice(&tag);
    Some(sealed)
}

/// Opens nonce || ciphertext || tag in place and returns the plaintext.
#[must_use]
pub fn open_under(cipher: &XChaCha20Poly1305, associated: &[u8], mut sealed: Vec<u8>) -> Option<Vec<u8>> {
    let (nonce, rest) = sealed.split_first_chunk_mut::<NONCE_BYTES>()?;
    let (text, tag) = rest.split_last_chunk_mut::<TAG_BYTES>()?;
    let (nonce, tag) = (XNonce::from(*nonce), Tag::from(*tag));
    cipher.decrypt_inout_detached(&nonce, associated, text.into(), &tag).ok()?;
    sealed.truncate(sealed.len() - TAG_BYTES);
    sealed.drain(..NONCE_BYTES);
    Some(sealed)
}

/// The same with every parameter open: for vectors.
#[cfg(feature = "hazmat")]
pub mod hazmat {
    use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305};

    use super::NONCE_BYTES;

    /// Seals under any key, nonce and associated data.
    #[must_use]
    pub fn seal(key: &[u8; 32], nonce: &[u8; NONCE_BYTES], associated: &[u8], plaintext: &[u8]) -> Option<Vec<u8>> {
        super::seal_under(&XChaCha20Poly1305::new(key.into()), nonce, associated, plaintext)
    }

    /// Opens what [`seal`] made.
    #[must_use]
    pub fn open(key: &[u8; 32], associated: &[u8], sealed: Vec<u8>) -> Option<Vec<u8>> {
        super::open_under(&XChaCha20Poly1305::new(key.into()), associated, sealed)
    }
}
