//! The receipt of a ratified agreement: one JSON file that proves itself, offline and without keys.

use serde::{Deserialize, Serialize};

use super::agreement::{Agreement, CHANNEL_BYTES, Ratification};
use super::deliverable::Deliverable;
use crate::artifact::is_sha256_hex;
use crate::base64url;
use crate::envelope::Kind;
use crate::identity::AgentId;
use crate::json;
use crate::limits::THREAD_BYTES;
use crate::message::{Extras, Message, Open};

/// The file. Both sides hold the same one, apart from nothing: it is deterministic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// Always `agentpair-receipt-v1`.
    pub format: String,
    /// The agreement digest, lowercase hex.
    pub agreement: String,
    /// The thread of the session.
    pub thread: String,
    /// The initiator's id.
    pub initiator: String,
    /// The recipient's id.
    pub recipient: String,
    /// base64url of the exact plaintext of the accepted `nego.open`.
    pub terms: String,
    /// The deliverable, with its bytes.
    pub deliverable: Deliverable,
    /// Lowercase hex of an earlier digest, or empty.
    pub supersedes: String,
    /// The initiator's ratification.
    pub initiator_ratified: Ratification,
    /// The recipient's ratification.
    pub recipient_ratified: Ratification,
}

/// Why a receipt proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiptFault {
    /// Not the shape of a receipt.
    Shape,
    /// The digest is not that of the contents.
    Digest,
    /// The initiator's signature does not verify.
    InitiatorSignature,
    /// The recipient's signature does not verify.
    RecipientSignature,
    /// The second ratification came after the first offer had expired.
    Expired,
}

impl ReceiptFault {
    /// In words.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Shape => "this is not a receipt",
            Self::Digest => "the digest is not that of the contents: something was changed",
            Self::InitiatorSignature => "the initiator did not sign this agreement",
            Self::RecipientSignature => "the recipient did not sign this agreement",
            Self::Expired => "the second ratification came after the first one's offer had expired",
        }
    }
}

/// What a verified receipt says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct VerifiedReceipt {
    /// The agreement digest, lowercase hex.
    pub agreement: String,
    /// SHA-256 of the deliverable, lowercase hex.
    pub sha256: String,
    /// The initiator's id.
    pub initiator: String,
    /// The recipient's id.
    pub recipient: String,
    /// The terms.
    pub terms: Open,
    /// When each human approved, by each signer's own clock.
    pub approved_at: [u64; 2],
}

/// The format of this version.
pub(crate) const FORMAT: &str = "agentpair-receipt-v1";

impl Receipt {
    /// Verifies a receipt from its bytes alone.
    ///
    /// # Errors
    /// [`ReceiptFault`]: the first that applies.
    pub fn verify(bytes: &[u8]) -> Result<VerifiedReceipt, ReceiptFault> {
        json::from_object::<Self>(bytes).map_err(|_| ReceiptFault::Shape)?.check()
    }

    /// Verifies this receipt.
    ///
    /// # Errors
    /// [`ReceiptFault`]: the first that applies.
    pub fn check(&self) -> Result<VerifiedReceipt, ReceiptFault> {
        use sha2::Digest as _;
        let id = |text: &str| AgentId::parse(text).map_err(|_| ReceiptFault::Shape);
        let (initiator, recipient) = (id(&self.initiator)?, id(&self.recipient)?);
        let plaintext = base64url::decode(&self.terms).map_err(|_| ReceiptFault::Shape)?;
        Extras::read(&plaintext).map_err(|_| ReceiptFault::Shape)?;
        let Ok(Message::Open(terms)) = Message::read(Kind::NegoOpen, &self.thread, &plaintext) else {
            return Err(ReceiptFault::Shape);
        };
        let is_bounded = self.thread.len() <= THREAD_BYTES
            && (self.supersedes.is_empty() || is_sha256_hex(&self.supersedes))
            && [&self.initiator_ratified, &self.recipient_ratified].iter().all(|r| r.channel.len() <= CHANNEL_BYTES);
        if self.format != FORMAT || !is_bounded || self.deliverable.check().is_err() {
            return Err(ReceiptFault::Shape);
        }
        let described = self.deliverable.describe();
        let digest = Agreement {
            thread: &self.thread,
            initiator: initiator.as_str(),
            recipient: recipient.as_str(),
            terms: &sha2::Sha256::digest(&plaintext).into(),
            deliverable: &described,
            supersedes: &self.supersedes,
        }
        .digest()
        .ok_or(ReceiptFault::Shape)?;
        if hex::encode(digest) != self.agreement || terms.supersedes.as_deref().unwrap_or_default() != self.supersedes {
            return Err(ReceiptFault::Digest);
        }
        if !self.initiator_ratified.holds(&digest, &initiator) {
            return Err(ReceiptFault::InitiatorSignature);
        }
        if !self.recipient_ratified.holds(&digest, &recipient) {
            return Err(ReceiptFault::RecipientSignature);
        }
        let (one, other) = (&self.initiator_ratified, &self.recipient_ratified);
        let (first, second) = if one.approved_at <= other.approved_at { (one, other) } else { (other, one) };
        if second.approved_at > first.offer_expires_at {
            return Err(ReceiptFault::Expired);
        }
        Ok(VerifiedReceipt {
            agreement: self.agreement.clone(),
            sha256: described.sha256,
            initiator: self.initiator.clone(),
            recipient: self.recipient.clone(),
            terms,
            approved_at: [one.approved_at, other.approved_at],
        })
    }
}
