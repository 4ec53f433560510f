//! Agent ids: `ed25519:` and the base64url of a public key, in exactly one spelling.

use std::fmt;
use std::str::FromStr;

use ed25519_dalek::{Signature, Verifier as _, VerifyingKey};

use super::signing::{BadSignature, Domain, SIGNATURE_BYTES, Transcript};
use super::small_order;
use crate::base64url;

/// The prefix of every agent id.
pub const PREFIX: &str = "ed25519:";

/// The text is not the one spelling of a usable public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdentityFault {
    /// Does not begin with `ed25519:`.
    Prefix,
    /// The rest is not canonical base64url of 32 bytes.
    Encoding,
    /// The bytes are no canonical curve point, or one of small order.
    Key,
}

/// A parsed agent id: its text and its key, so that neither is computed twice.
///
/// Wire facts 1.1 compares ids as strings; with one spelling per key this is the same as comparing keys.
#[derive(Clone)]
pub struct AgentId {
    text: Box<str>,
    key: VerifyingKey,
}

impl AgentId {
    /// Parses strictly: 51 characters, canonical base64url, a canonical point that is not of small order.
    ///
    /// # Errors
    /// [`IdentityFault`] says which rule failed first.
    pub fn parse(text: &str) -> Result<Self, IdentityFault> {
        let encoded = text.strip_prefix(PREFIX).ok_or(IdentityFault::Prefix)?;
        let bytes = base64url::decode_array::<32>(encoded).map_err(|_| IdentityFault::Encoding)?;
        let key = VerifyingKey::from_bytes(&bytes).map_err(|_| IdentityFault::Key)?;
        // dalek decodes points with y >= p; re-encoding shows them.
        if key.is_weak() || key.to_edwards().compress().to_bytes() != bytes {
            return Err(IdentityFault::Key);
        }
        Ok(Self { text: text.into(), key })
    }

    pub(super) fn of(key: VerifyingKey) -> Self {
        let text = format!("{PREFIX}{}", base64url::encode(key.as_bytes()));
        Self { text: text.into(), key }
    }

    /// Whether the text claims to be an agent id at all: the only check of the draft.
    #[must_use]
    pub fn has_prefix(text: &str) -> bool {
        text.starts_with(PREFIX)
    }

    /// The 51 characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The raw public key.
    #[must_use]
    pub fn public_key(&self) -> &[u8; 32] {
        self.key.as_bytes()
    }

    /// The same point on the Montgomery curve, for X25519.
    #[must_use]
    pub(crate) fn montgomery(&self) -> [u8; 32] {
        self.key.to_montgomery().to_bytes()
    }

    /// Verifies a signature strictly (no small-order points, canonical encodings, the cofactorless equation).
    ///
    /// # Errors
    /// [`BadSignature`] for any other length and for any signature that does not verify.
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), BadSignature> {
        let bytes: &[u8; SIGNATURE_BYTES] = signature.try_into().map_err(|_| BadSignature)?;
        // This is `verify_strict`, a twelfth faster: there, R is decompressed to see whether it is of small order.
        // The equation compares R as bytes with the one encoding of a point, so R as bytes tells that too; the key
        // is not of small order, or it would not be an agent id.
        let [r, _] = bytes.as_chunks::<32>().0 else { return Err(BadSignature) };
        if small_order::is_encoding(r) {
            return Err(BadSignature);
        }
        self.key.verify(message, &Signature::from_bytes(bytes)).map_err(|_| BadSignature)
    }

    /// Verifies a signature over a transcript of `domain`.
    ///
    /// # Errors
    /// [`BadSignature`] as [`AgentId::verify`].
    pub fn verify_in(&self, domain: Domain, transcript: &Transcript, signature: &[u8]) -> Result<(), BadSignature> {
        self.verify(&transcript.in_domain(domain), signature)
    }
}

impl FromStr for AgentId {
    type Err = IdentityFault;

    fn from_str(text: &str) -> Result<Self, IdentityFault> {
        Self::parse(text)
    }
}

impl PartialEq for AgentId {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for AgentId {}

impl fmt::Debug for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl serde::Serialize for AgentId {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&self.text)
    }
}

impl<'de> serde::Deserialize<'de> for AgentId {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(d)?;
        Self::parse(&text).map_err(|_| serde::de::Error::custom("not an agent id"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Keypair;

    #[test]
    fn aliases_of_one_key_are_refused() {
        let id = Keypair::from_seed([1; 32]).agent_id().as_str().to_owned();
        assert!(AgentId::parse(&id).is_ok());
        assert_eq!(AgentId::parse(&format!("{id}==")), Err(IdentityFault::Encoding));
        // "w" is the last character; its low bits are spare, so "x" decodes to the same bytes leniently.
        let alias = format!("{}x", id.strip_suffix('w').unwrap());
        assert_eq!(AgentId::parse(&alias), Err(IdentityFault::Encoding));
        assert_eq!(AgentId::parse(id.trim_start_matches(PREFIX)), Err(IdentityFault::Prefix));
    }

    #[test]
    fn weak_and_non_canonical_keys_are_refused() {
        let mut identity = [0; 32];
        identity[0] = 1;
        let order_two = {
            let mut y = [0xff; 32];
            y[0] = 0xec;
            y[31] = 0x7f;
            y
        };
        // y = p + 3: decodes leniently to the point with y = 3.
        let mut non_canonical = [0xff; 32];
        non_canonical[0] = 0xf0;
        non_canonical[31] = 0x7f;
        let mut not_a_point = [0; 32];
        not_a_point[0] = 2;
        for bytes in [[0; 32], identity, order_two, non_canonical, not_a_point] {
            let text = format!("{PREFIX}{}", base64url::encode(&bytes));
            assert_eq!(AgentId::parse(&text), Err(IdentityFault::Key), "{bytes:02x?}");
        }
    }
}
