//! The stored bond.

use serde::{Deserialize, Serialize};

use crate::envelope::{Profile, Profiles};
use crate::identity::AgentId;
use crate::message::HostKind;
use crate::pairing::spake::Role;

/// Where a bond stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum BondStatus {
    /// Paired; the peer's first word is awaited.
    Pending,
    /// Nothing of the peer is let in until the human verified the safety number.
    Held,
    /// In use.
    Active,
    /// The peer's relay refuses us; only a verified `bond.revoked` revokes.
    Unreachable,
    /// Ended by this side.
    Revoked,
    /// Ended by the peer.
    RevokedByPeer,
    /// Never became active.
    Failed,
}

/// How long a bond lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum Mode {
    /// Until revoked.
    #[serde(rename = "bonded_contact")]
    Contact,
    /// Until its first session is over, or 24 hours unused.
    #[serde(rename = "ephemeral_until_session_closes")]
    Ephemeral,
}

impl Mode {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Contact => "bonded_contact",
            Self::Ephemeral => "ephemeral_until_session_closes",
        }
    }

    /// The mode of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Contact, Self::Ephemeral].into_iter().find(|mode| mode.name() == name)
    }
}

/// What a bond is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Messages.
    Message,
    /// Negotiation.
    Negotiate,
}

impl Scope {
    /// The word on the wire.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Negotiate => "negotiate",
        }
    }
}

/// That the humans compared the safety number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Verification {
    /// Unix milliseconds.
    pub at: u64,
    /// The channel of the approval.
    pub how: String,
}

/// The inbox of this bond at the relay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// Version of the allowlist last signed.
    pub version: u64,
    /// Whether the relay has that version.
    pub is_pushed: bool,
    /// When it was last pushed, unix milliseconds.
    pub pushed_at: u64,
}

/// The last acts of a revoked bond.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Farewell {
    /// When it was revoked, unix milliseconds.
    pub at: u64,
    /// In the words of whoever revoked.
    pub reason: Option<String>,
    /// Whether the keys are erased.
    pub is_erased: bool,
}

/// A bond. Its secrets are stored apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bond {
    /// 16 random bytes, base64url.
    pub id: String,
    /// The peer.
    pub peer: AgentId,
    /// This side, an identity made for this bond.
    pub own: AgentId,
    /// This side's role in the pairing.
    pub role: Role,
    /// The words of the proposal.
    pub scope: Vec<String>,
    /// How long it lives.
    pub mode: Mode,
    /// What both sides speak.
    pub profiles: Profiles,
    /// The owner's name for the peer.
    pub petname: String,
    /// The peer's name for itself: untrusted.
    pub peer_label: Option<String>,
    /// The peer's software, by its own word.
    pub peer_host: Option<HostKind>,
    /// The peer's root identity, if it vouched for this bond's key.
    pub peer_root: Option<String>,
    /// Where it stands.
    pub status: BondStatus,
    /// Whether it must be verified before it is used.
    pub must_verify: bool,
    /// That the humans compared the safety number.
    pub verification: Option<Verification>,
    /// Base URL of the relay.
    pub relay: String,
    /// The inbox at the relay.
    pub registration: Registration,
    /// Unix milliseconds.
    pub created_at: u64,
    /// When something of the peer was last accepted, unix milliseconds.
    pub peer_seen_at: u64,
    /// Set once it is revoked.
    pub farewell: Option<Farewell>,
    /// Own messages since the human last decided something on this bond.
    #[serde(default)]
    pub unattended: u32,
    /// Whether the agent was stopped until the human lets it go on.
    #[serde(default)]
    pub is_braked: bool,
    /// Whether something came that the owner's agent has not taken note of.
    #[serde(default)]
    pub has_news: bool,
    /// When the peer's agent last took note of its inbox, by its host's word, unix milliseconds.
    #[serde(default)]
    pub peer_looked_at: Option<u64>,
    /// Whose signature the peer's ratifications need besides its own.
    #[serde(default)]
    pub peer_approver: Option<AgentId>,
    /// Counts the changes of the peer's approver.
    #[serde(default)]
    pub peer_approver_version: u64,
}

impl Bond {
    /// Whether the bond is at its end.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.status, BondStatus::Revoked | BondStatus::RevokedByPeer | BondStatus::Failed)
    }

    /// Whether owner messages may be sent.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        matches!(self.status, BondStatus::Active | BondStatus::Unreachable)
    }

    /// Whether the peer speaks a profile.
    #[must_use]
    pub fn speaks(&self, profile: Profile) -> bool {
        self.profiles.has(profile)
    }

    /// Whether the scope allows something. A scope with none of our words allows both.
    #[must_use]
    pub fn allows(&self, scope: Scope) -> bool {
        let known = |word: &String| [Scope::Message, Scope::Negotiate].iter().any(|s| s.word() == word);
        !self.scope.iter().any(known) || self.scope.iter().any(|word| word == scope.word())
    }
}
