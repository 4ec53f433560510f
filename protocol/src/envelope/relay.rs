//! The relay's ladder: it never needs a bond or a key, and stops before the payload.

use super::body::Decoded;
use crate::error::Reject;
use crate::identity::AgentId;

impl Decoded {
    /// The inner recipient must be the inbox named in the path, and the outer addresses must agree.
    ///
    /// # Errors
    /// [`Reject::RoutingMismatch`].
    pub fn addressed_to(self, inbox: &str) -> Result<Addressed, Reject> {
        let claims = &self.claims;
        if claims.to != inbox || self.outer_to != claims.to || self.outer_from != claims.from {
            return Err(Reject::RoutingMismatch);
        }
        Ok(Addressed(self))
    }
}

/// Addressed to the inbox in the path.
#[derive(Debug)]
pub struct Addressed(Decoded);

impl Addressed {
    /// The expiry must be in the future.
    ///
    /// # Errors
    /// [`Reject::EnvelopeExpired`].
    pub fn timely(self, now_s: u64) -> Result<Timely, Reject> {
        match u64::try_from(self.0.claims.ttl) {
            Ok(ttl) if ttl > now_s => Ok(Timely { envelope: self.0, ttl }),
            _ => Err(Reject::EnvelopeExpired),
        }
    }
}

/// Not expired.
#[derive(Debug)]
pub struct Timely {
    envelope: Decoded,
    ttl: u64,
}

impl Timely {
    /// The signature must verify strictly under the claimed sender's id.
    ///
    /// # Errors
    /// [`Reject::InvalidSignature`], also for an id that is not a usable key.
    pub fn authentic(self) -> Result<Accepted, Reject> {
        let Decoded { body, signature, claims, .. } = self.envelope;
        let sender = AgentId::parse(&claims.from).map_err(|_| Reject::InvalidSignature)?;
        let signature = signature.ok_or(Reject::InvalidSignature)?;
        sender.verify(&body, &signature).map_err(|_| Reject::InvalidSignature)?;
        Ok(Accepted { id: claims.id, sender, ttl: self.ttl })
    }
}

/// All that the relay learns from an envelope and may act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// The envelope's id.
    pub id: String,
    /// The verified sender.
    pub sender: AgentId,
    /// Expiry, unix seconds.
    pub ttl: u64,
}
