//! The agreement digest, and the ratification that signs it.

use serde::{Deserialize, Serialize};

use super::deliverable::Described;
use crate::base64url;
use crate::identity::{AgentId, Domain, Keypair, Transcript};

/// Longest name of an approval's channel.
pub const CHANNEL_BYTES: usize = 64;

/// All that an agreement digest covers.
#[derive(Debug, Clone, Copy)]
pub struct Agreement<'a> {
    /// The thread of the session.
    pub thread: &'a str,
    /// The initiator's id.
    pub initiator: &'a str,
    /// The recipient's id.
    pub recipient: &'a str,
    /// SHA-256 of the exact plaintext of the accepted `nego.open`.
    pub terms: &'a [u8; 32],
    /// The deliverable.
    pub deliverable: &'a Described,
    /// Lowercase hex of an earlier digest, or empty.
    pub supersedes: &'a str,
}

impl Agreement<'_> {
    /// The digest. `None` if the deliverable's hash is not 64 hex characters, which [`Described`] never has.
    #[must_use]
    pub fn digest(&self) -> Option<[u8; 32]> {
        let mut hash = [0; 32];
        hex::decode_to_slice(&self.deliverable.sha256, &mut hash).ok()?;
        Some(
            Transcript::new()
                .lp(self.thread)
                .lp(self.initiator)
                .lp(self.recipient)
                .raw(self.terms)
                .lp(self.deliverable.kind.name())
                .lp(&self.deliverable.media_type)
                .lp(&self.deliverable.name)
                .raw(hash)
                .lp(self.supersedes)
                .digest("agentpair-agreement-v1"),
        )
    }
}

/// What a ratification signs, apart from the digest.
#[derive(Debug, Clone, Copy)]
pub struct Ratify<'a> {
    /// The agreement digest.
    pub digest: &'a [u8; 32],
    /// The signer's id.
    pub signer: &'a str,
    /// When the human approved, unix milliseconds.
    pub approved_at: u64,
    /// Until when the other side may ratify, unix milliseconds.
    pub offer_expires_at: u64,
    /// How the human approved.
    pub channel: &'a str,
}

/// One side's ratification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Ratification {
    /// When the human approved, unix milliseconds.
    pub approved_at: u64,
    /// Until when the other side may ratify, unix milliseconds.
    pub offer_expires_at: u64,
    /// How the human approved.
    pub channel: String,
    /// base64url of the signature.
    pub sig: String,
}

impl Ratify<'_> {
    fn transcript(&self) -> Transcript {
        Transcript::new()
            .raw(self.digest)
            .lp(self.signer)
            .u64(self.approved_at)
            .u64(self.offer_expires_at)
            .lp(self.channel)
    }

    /// Signs.
    #[must_use]
    pub fn sign(&self, key: &Keypair) -> Ratification {
        Ratification {
            approved_at: self.approved_at,
            offer_expires_at: self.offer_expires_at,
            channel: self.channel.to_owned(),
            sig: base64url::encode(&key.sign_in(Domain::Ratify, &self.transcript())),
        }
    }
}

impl Ratification {
    /// Whether `signer` ratified the agreement of this digest.
    #[must_use]
    pub fn holds(&self, digest: &[u8; 32], signer: &AgentId) -> bool {
        let ratify = Ratify {
            digest,
            signer: signer.as_str(),
            approved_at: self.approved_at,
            offer_expires_at: self.offer_expires_at,
            channel: &self.channel,
        };
        base64url::decode(&self.sig)
            .is_ok_and(|sig| signer.verify_in(Domain::Ratify, &ratify.transcript(), &sig).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::negotiation::DeliverableKind;

    #[test]
    fn every_part_changes_the_digest_and_every_part_is_signed() {
        let described = |name: &str| Described {
            kind: DeliverableKind::Json,
            media_type: "application/json".to_owned(),
            name: name.to_owned(),
            sha256: "00".repeat(32),
            bytes: 1,
        };
        let (d, other) = (described("a"), described("b"));
        let base =
            Agreement { thread: "t", initiator: "i", recipient: "r", terms: &[0; 32], deliverable: &d, supersedes: "" };
        let digest = base.digest().unwrap();
        for changed in [
            Agreement { thread: "u", ..base },
            Agreement { initiator: "r", recipient: "i", ..base },
            Agreement { terms: &[1; 32], ..base },
            Agreement { deliverable: &other, ..base },
            Agreement { supersedes: "00", ..base },
        ] {
            assert_ne!(changed.digest().unwrap(), digest);
        }

        let (alice, bob) = (Keypair::from_seed([1; 32]), Keypair::from_seed([2; 32]));
        let ratify = Ratify {
            digest: &digest,
            signer: alice.agent_id().as_str(),
            approved_at: 5,
            offer_expires_at: 9,
            channel: "file",
        };
        let good = ratify.sign(&alice);
        assert!(good.holds(&digest, alice.agent_id()));
        assert!(!good.holds(&[0; 32], alice.agent_id()));
        assert!(!good.holds(&digest, bob.agent_id()));
        for changed in [
            Ratification { approved_at: 6, ..good.clone() },
            Ratification { offer_expires_at: 10, ..good.clone() },
            Ratification { channel: "pin".to_owned(), ..good.clone() },
        ] {
            assert!(!changed.holds(&digest, alice.agent_id()));
        }
    }
}
