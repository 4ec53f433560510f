//! The symmetric key of two agents.

use std::fmt;

use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305};
use hkdf::Hkdf;
use sha2::Sha256;
use x25519_dalek::{PublicKey, SharedSecret, StaticSecret};
use zeroize::Zeroizing;

use super::{NONCE_BYTES, open_under, seal_under};
use crate::identity::{AgentId, Keypair};

const INFO: &[u8] = b"agentpair-envelope-v1";

/// The two keys do not agree on a shared secret: one of them is of small order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoSharedKey;

/// The key of a pair of agents: the same on both sides and in both directions.
/// Derive it once for each peer and keep it: the derivation costs more than sealing a small message.
#[derive(Clone)]
pub struct PairKey(XChaCha20Poly1305);

impl PairKey {
    /// X25519 of the two mapped keys, then HKDF-SHA-256.
    ///
    /// # Errors
    /// [`NoSharedKey`] if the shared secret is all zero.
    pub fn derive(own: &Keypair, peer: &AgentId) -> Result<Self, NoSharedKey> {
        let shared = shared_secret(&own.x25519_secret(), peer.montgomery())?;
        let mut key = Zeroizing::new([0_u8; 32]);
        Hkdf::<Sha256>::new(None, shared.as_bytes()).expand(INFO, key.as_mut_slice()).map_err(|_| NoSharedKey)?;
        Ok(Self(XChaCha20Poly1305::new((&*key).into())))
    }

    /// Encrypts: nonce, ciphertext, tag.
    pub(super) fn seal(&self, nonce: &[u8; NONCE_BYTES], plaintext: &[u8]) -> Option<Vec<u8>> {
        seal_under(&self.0, nonce, b"", plaintext)
    }

    /// Decrypts in place what [`PairKey::seal`] made.
    pub(super) fn open(&self, sealed: Vec<u8>) -> Option<Vec<u8>> {
        open_under(&self.0, b"", sealed)
    }
}

fn shared_secret(own: &StaticSecret, peer: [u8; 32]) -> Result<SharedSecret, NoSharedKey> {
    let shared = own.diffie_hellman(&PublicKey::from(peer));
    if shared.was_contributory() { Ok(shared) } else { Err(NoSharedKey) }
}

/// The shared secret of a scalar and a point that no id stands for: for vectors only.
///
/// # Errors
/// [`NoSharedKey`] if it is all zero.
#[cfg(feature = "hazmat")]
pub fn shared_secret_of(scalar: [u8; 32], point: [u8; 32]) -> Result<[u8; 32], NoSharedKey> {
    Ok(shared_secret(&StaticSecret::from(scalar), point)?.to_bytes())
}

impl fmt::Debug for PairKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PairKey(..)")
    }
}
