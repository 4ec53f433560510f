//! The receiver's ladder: bonded, authentic, routed, fresh, opened.

use super::NONCE_BYTES;
use super::body::{Claims, Decoded};
use super::pair_key::PairKey;
use crate::error::Reject;
use crate::identity::AgentId;
use crate::limits::PAYLOAD_MIN_BYTES;

/// The signed headers of an envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headers {
    /// Chosen by the sender, unique.
    pub id: String,
    /// The sender.
    pub from: String,
    /// The recipient.
    pub to: String,
    /// The type, such as `core.msg`.
    pub kind: String,
    /// The thread.
    pub thread: String,
    /// Position in the thread, from 1.
    pub seq: u64,
    /// Expiry, unix seconds.
    pub ttl: u64,
    /// When it was sealed, unix milliseconds; `bond/1` only.
    pub sealed_at: Option<u64>,
    /// The sequence number sealed before this one on the thread, 0 first; `bond/1` only.
    pub prev: Option<u64>,
}

impl Decoded {
    /// The sender must be `peer`, with whom the recipient is bonded.
    ///
    /// # Errors
    /// [`Reject::RecipientNotAllowed`], also where `peer` is `None`: no bond.
    pub fn bonded(self, peer: Option<&AgentId>) -> Result<Bonded<'_>, Reject> {
        match peer {
            Some(peer) if peer.as_str() == self.claims.from => Ok(Bonded { envelope: self, peer }),
            _ => Err(Reject::RecipientNotAllowed),
        }
    }
}

/// The claimed sender is a bonded peer.
#[derive(Debug)]
pub struct Bonded<'a> {
    envelope: Decoded,
    peer: &'a AgentId,
}

impl Bonded<'_> {
    /// The signature must verify strictly over the body's bytes.
    ///
    /// # Errors
    /// [`Reject::InvalidSignature`].
    pub fn authentic(self) -> Result<Authentic, Reject> {
        let signature = self.envelope.signature.ok_or(Reject::InvalidSignature)?;
        self.peer.verify(&self.envelope.body, &signature).map_err(|_| Reject::InvalidSignature)?;
        Ok(Authentic(self.envelope))
    }
}

/// The peer signed this body.
#[derive(Debug)]
pub struct Authentic(Decoded);

impl Authentic {
    /// Outer and inner addresses must agree, and name the recipient.
    ///
    /// # Errors
    /// [`Reject::RoutingMismatch`].
    pub fn routed(self, recipient: &AgentId) -> Result<Routed, Reject> {
        let Decoded { outer_from, outer_to, claims, payload, .. } = self.0;
        if outer_to != claims.to || outer_from != claims.from || claims.to != recipient.as_str() {
            return Err(Reject::RoutingMismatch);
        }
        Ok(Routed { claims, payload })
    }
}

/// Signed by the peer, for this recipient.
#[derive(Debug)]
pub struct Routed {
    claims: Claims,
    payload: Option<Vec<u8>>,
}

impl Routed {
    /// The id, to be named in a refusal.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.claims.id
    }

    /// The type, known or not.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.claims.kind
    }

    /// The AEAD nonce of the payload, if it has one.
    #[must_use]
    pub fn nonce(&self) -> Option<[u8; NONCE_BYTES]> {
        self.payload.as_deref()?.first_chunk().copied()
    }

    /// The expiry in unix milliseconds, as signed; 0 if it is negative.
    #[must_use]
    pub fn ttl_ms(&self) -> u64 {
        u64::try_from(self.claims.ttl).unwrap_or(0).saturating_mul(1_000)
    }

    /// The thread, needed to look up the last accepted sequence number.
    #[must_use]
    pub fn thread(&self) -> &str {
        &self.claims.thread
    }

    /// The sequence number must be above `last_seq`, and the expiry in the future.
    ///
    /// # Errors
    /// [`Reject::StaleSeq`] before [`Reject::EnvelopeExpired`].
    pub fn fresh(self, last_seq: u64, now_s: u64) -> Result<Fresh, Reject> {
        let Claims { id, from, to, kind, thread, seq, ttl, sealed_at, prev } = self.claims;
        let seq = u64::try_from(seq).ok().filter(|seq| *seq > last_seq).ok_or(Reject::StaleSeq)?;
        let ttl = u64::try_from(ttl).ok().filter(|ttl| *ttl > now_s).ok_or(Reject::EnvelopeExpired)?;
        let headers = Headers { id, from, to, kind, thread, seq, ttl, sealed_at, prev };
        Ok(Fresh { headers, payload: self.payload })
    }
}

/// New on its thread, and not expired.
#[derive(Debug)]
pub struct Fresh {
    headers: Headers,
    payload: Option<Vec<u8>>,
}

impl Fresh {
    /// The signed headers.
    #[must_use]
    pub fn headers(&self) -> &Headers {
        &self.headers
    }

    /// The AEAD nonce, to be looked up among those seen.
    ///
    /// # Errors
    /// [`Reject::InvalidPayload`] if the payload is not base64url, or too short to hold one.
    pub fn nonce(&self) -> Result<[u8; NONCE_BYTES], Reject> {
        self.payload
            .as_deref()
            .filter(|payload| payload.len() >= PAYLOAD_MIN_BYTES)
            .and_then(|payload| payload.first_chunk())
            .copied()
            .ok_or(Reject::InvalidPayload)
    }

    /// Decrypts the payload.
    ///
    /// # Errors
    /// [`Reject::InvalidPayload`].
    pub fn open(self, key: &PairKey) -> Result<Opened, Reject> {
        let plaintext = self.payload.and_then(|payload| key.open(payload)).ok_or(Reject::InvalidPayload)?;
        Ok(Opened { headers: self.headers, plaintext })
    }
}

/// Verified and decrypted. Still the words of a peer: untrusted as content.
#[derive(Debug)]
pub struct Opened {
    headers: Headers,
    plaintext: Vec<u8>,
}

impl Opened {
    /// The signed headers.
    #[must_use]
    pub fn headers(&self) -> &Headers {
        &self.headers
    }

    /// The decrypted bytes.
    #[must_use]
    pub fn plaintext(&self) -> &[u8] {
        &self.plaintext
    }

    /// Headers and decrypted bytes.
    #[must_use]
    pub fn into_parts(self) -> (Headers, Vec<u8>) {
        (self.headers, self.plaintext)
    }
}
