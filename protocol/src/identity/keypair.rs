//! A key pair made from a 32-byte seed.

use std::fmt;

use ed25519_dalek::{Signer as _, SigningKey};
use sha2::{Digest as _, Sha512};
use zeroize::Zeroizing;

use super::agent_id::AgentId;
use super::signing::{Domain, SIGNATURE_BYTES, Transcript};
use crate::secret::Secret;

/// An Ed25519 key pair with its agent id. `Debug` shows the id only; the seed is erased on drop.
#[derive(Clone)]
pub struct Keypair {
    key: SigningKey,
    id: AgentId,
}

impl Keypair {
    /// The key pair of a seed (RFC 8032).
    #[must_use]
    pub fn from_seed(seed: [u8; 32]) -> Self {
        let key = SigningKey::from_bytes(&Zeroizing::new(seed));
        let id = AgentId::of(key.verifying_key());
        Self { key, id }
    }

    /// The key pair of a stored seed.
    #[must_use]
    pub fn from_secret(seed: &Secret<32>) -> Self {
        Self::from_seed(*seed.expose())
    }

    /// The public side.
    #[must_use]
    pub fn agent_id(&self) -> &AgentId {
        &self.id
    }

    /// Signs the bytes as they are. Only formats of the draft are signed so; everything new has a [`Domain`].
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; SIGNATURE_BYTES] {
        self.key.sign(message).to_bytes()
    }

    /// Signs a transcript in a domain.
    #[must_use]
    pub fn sign_in(&self, domain: Domain, transcript: &Transcript) -> [u8; SIGNATURE_BYTES] {
        self.sign(&transcript.in_domain(domain))
    }

    /// The X25519 scalar of this key: the clamped first half of SHA-512 of the seed.
    pub(crate) fn x25519_secret(&self) -> x25519_dalek::StaticSecret {
        let digest = Zeroizing::new(<[u8; 64]>::from(Sha512::digest(self.key.as_bytes())));
        let mut scalar = Zeroizing::new([0_u8; 32]);
        scalar.copy_from_slice(digest.split_at(32).0);
        x25519_dalek::StaticSecret::from(*scalar)
    }

    /// The approval key, bound to this identity (wire facts 1.6).
    pub(crate) fn approval_key(&self) -> Secret<32> {
        let hkdf = hkdf::Hkdf::<sha2::Sha256>::new(None, self.key.as_bytes());
        let mut key = [0; 32];
        // 32 bytes are far below HKDF's limit of 8,160, the only error it has.
        let filled = hkdf.expand(b"agentpair-approval-v1", &mut key);
        debug_assert!(filled.is_ok());
        Secret::new(key)
    }
}

impl fmt::Debug for Keypair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keypair({})", self.id)
    }
}
