//! What a host may show: the engine's state without its secrets.

use serde::{Deserialize, Serialize};

use crate::bond::BondStatus;
use crate::bond::Verification;
use crate::gate::{PendingItem, Shown, Subject};
use crate::message::Open;
use crate::negotiation::{Described, Ratification, Side};
use crate::pairing::code::Form;
use crate::pairing::spake::Role;

/// This host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct HostView {
    /// The root identity, which vouches for the identity of each bond.
    pub agent_id: String,
    /// How the owner wants to be called.
    pub label: Option<String>,
    /// Entries in the feed.
    pub feed: u64,
    /// Records in the audit log.
    pub audit: u64,
    /// Entries of the feed up to this one were taken note of by the owner's agent.
    pub read: u64,
    /// The approver's key, where the owner has set a PIN.
    pub approver: Option<String>,
}

/// A pairing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct PairingView {
    /// Its id.
    pub id: String,
    /// This side's role.
    pub role: Role,
    /// The form of the code.
    pub form: Form,
    /// Base URL of the relay.
    pub relay: String,
    /// A short name of the step it is at.
    pub step: String,
    /// The code to hand over, while an own invite is published. For links without a page.
    pub code: Option<String>,
    /// The relay is slow or refuses: its last error.
    pub trouble: Option<String>,
    /// `bonded`, or a code that says why not, once it is over.
    pub outcome: Option<String>,
    /// The bond, once there is one.
    pub bond: Option<String>,
    /// The pending approval, if one waits.
    pub pending: Option<String>,
    /// Unix milliseconds.
    pub expires_at: u64,
}

/// A bond.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct BondView {
    /// Its id.
    pub id: String,
    /// The peer.
    pub peer: String,
    /// This side's identity for this bond.
    pub own: String,
    /// The owner's name for the peer.
    pub petname: String,
    /// *peer*: its name for itself.
    pub peer_label: Option<String>,
    /// The peer's root identity, if it vouched for this bond.
    pub peer_root: Option<String>,
    /// Where it stands.
    pub status: BondStatus,
    /// The words of the proposal.
    pub scope: Vec<String>,
    /// How long it lives.
    pub mode: String,
    /// What both sides speak.
    pub profiles: Vec<String>,
    /// Whether it must be verified before it is used.
    pub must_verify: bool,
    /// That the humans compared the safety number.
    pub verification: Option<Verification>,
    /// Digest of both keys, lowercase hex, for a QR code.
    pub keys_digest: String,
    /// Base URL of the relay.
    pub relay: String,
    /// Unix milliseconds.
    pub created_at: u64,
    /// When something of the peer was last accepted, unix milliseconds.
    pub peer_seen_at: u64,
    /// Own envelopes that are not delivered yet.
    pub undelivered: u32,
    /// Own messages since the human last decided something on this bond.
    pub unattended: u32,
    /// Whether the agent was stopped until the human lets it go on.
    pub is_braked: bool,
    /// When the peer's agent last took note of its inbox, by its host's word, unix milliseconds.
    pub peer_looked_at: Option<u64>,
    /// Whose signature the peer's ratifications need besides its own.
    pub peer_approver: Option<String>,
    /// Whether the keys of a revoked bond are erased.
    pub is_erased: bool,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct SessionView {
    /// The bond.
    pub bond: String,
    /// The thread.
    pub thread: String,
    /// Who opened it.
    pub opened_by: Side,
    /// The terms; *peer* where the peer opened it.
    pub terms: Open,
    /// `pending`, `live`, `signed`, `agreed` or `ended`.
    pub status: String,
    /// Turns used.
    pub turns: u32,
    /// Turns allowed.
    pub max_turns: u32,
    /// Turns left.
    pub turns_remaining: u32,
    /// Whether the other side moved last.
    pub your_turn: bool,
    /// The deliverable that both signed.
    pub deliverable: Option<Described>,
    /// The agreement digest, lowercase hex, once both signed.
    pub agreement: Option<String>,
    /// The hash that this side signed.
    pub signed_by_me: Option<String>,
    /// The hash that the peer signed.
    pub signed_by_peer: Option<String>,
    /// This side's ratification.
    pub ratified_by_me: Option<Ratification>,
    /// The peer's ratification.
    pub ratified_by_peer: Option<Ratification>,
    /// Why it ended.
    pub reason: Option<String>,
    /// Who ended it; this host, where it ended by itself.
    pub ended_by: Option<Side>,
    /// *peer*, where the peer ended it: its words.
    pub words: Option<String>,
    /// The pending approval, if one waits.
    pub pending: Option<String>,
    /// Whether a receipt can be written.
    pub has_receipt: bool,
    /// When it was opened, unix milliseconds.
    pub created_at: u64,
    /// When it changes by itself, unix milliseconds.
    pub expires_at: Option<u64>,
    /// What to do next, in a few words.
    pub suggested_next: String,
}

/// A turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct TurnView {
    /// Its number, from 1.
    pub n: u32,
    /// Who took it.
    pub by: Side,
    /// What it is; *peer* where the peer took it.
    pub msg_type: String,
    /// Its text; *peer* where the peer took it.
    pub body: String,
    /// The deliverable that it puts forward.
    pub deliverable: Option<Described>,
    /// Unix milliseconds.
    pub at: u64,
}

/// An item that waits for a human.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct PendingView {
    /// Its id.
    pub id: String,
    /// What is to be decided.
    pub subject: Subject,
    /// One sentence.
    pub question: String,
    /// All that the decision is about.
    pub shown: Vec<Shown>,
    /// SHA-256 over question and lines, lowercase hex.
    pub digest: String,
    /// Unix milliseconds.
    pub expires_at: u64,
}

impl From<&PendingItem> for PendingView {
    fn from(item: &PendingItem) -> Self {
        Self {
            id: item.id.clone(),
            subject: item.subject.clone(),
            question: item.question.clone(),
            shown: item.shown.clone(),
            digest: item.digest.clone(),
            expires_at: item.expires_at,
        }
    }
}

/// An own message that is not delivered yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct OutboxView {
    /// The bond.
    pub bond: String,
    /// The message.
    pub mid: String,
    /// The envelope's type.
    pub kind: String,
    /// The thread.
    pub thread: String,
    /// `queued` or `relayed`.
    pub state: String,
    /// Unix milliseconds.
    pub created_at: u64,
    /// Unix milliseconds.
    pub expires_at: u64,
}
