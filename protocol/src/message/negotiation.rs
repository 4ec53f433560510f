//! `nego/1`: from opening to ratification.

use serde::{Deserialize, Serialize};

use crate::limits::MAX_TURNS;
use crate::negotiation::Deliverable;

/// Section that our `accept` names: the draft's receivers ask for one.
pub const AGREED_SECTION: &str = "deliverable";

/// `nego.open`: the terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Open {
    /// What is to be agreed.
    pub goal: String,
    /// When the deliverable is good enough.
    pub acceptance: Vec<Criterion>,
    /// How long it may take.
    pub budget: Budget,
    /// What the agents may do by themselves.
    pub mandate: Mandate,
    /// The initiator's id.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub from: Option<String>,
    /// The digest of an earlier agreement that this one replaces.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub supersedes: Option<String>,
}

/// A criterion of acceptance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Criterion {
    /// Short name.
    pub id: String,
    /// How it is judged.
    pub test: CriterionTest,
    /// In words.
    pub desc: String,
    /// The runner of an executable test.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub runner: Option<String>,
}

/// How a criterion is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum CriterionTest {
    /// By a program.
    Executable,
    /// By judgment.
    Judgment,
}

/// Bounds of a negotiation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Budget {
    /// Turns of both sides together, 1 to 1,000.
    pub max_turns: u32,
    /// ISO 8601 in UTC, with `T` and `Z`.
    pub deadline: String,
}

/// What the agents may do by themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Mandate {
    /// Allowed acts.
    pub agent_may: Vec<String>,
    /// Acts of the human only.
    pub human_required: Vec<String>,
    /// When to ask.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub escalate_on: Option<Vec<String>>,
}

impl Open {
    pub(super) fn is_sound(&self) -> bool {
        (1..=MAX_TURNS).contains(&self.budget.max_turns) && deadline_ms(&self.budget.deadline).is_some()
    }
}

/// The instant of a deadline in unix milliseconds: ISO 8601 in UTC, with capital `T` and `Z`, seconds optional.
#[must_use]
pub fn deadline_ms(text: &str) -> Option<u64> {
    let bare = text.strip_suffix('Z')?;
    // `2027-01-31T12:00`, then seconds and a fraction, or nothing: the parser below knows more forms.
    let shape = |b: u8| if b.is_ascii_digit() { b'0' } else { b };
    let head: Vec<u8> = bare.bytes().take(16).map(shape).collect();
    let tail = bare.get(16..)?;
    let is_tail = tail.is_empty() || (tail.starts_with(':') && tail.len() >= 3);
    if head != b"0000-00-00T00:00" || !is_tail {
        return None;
    }
    let is_plain =
        bare.contains('T') && bare.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'T' | b':' | b'.'));
    if !is_plain {
        return None;
    }
    let local: jiff::civil::DateTime = bare.parse().ok()?;
    let instant = jiff::tz::TimeZone::UTC.to_timestamp(local).ok()?;
    u64::try_from(instant.as_millisecond()).ok()
}

/// `nego.open_approved`: the recipient's human agreed to negotiate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenApproved {
    /// The thread again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub thread: Option<String>,
    /// The recipient's id.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub approved_by: Option<String>,
    /// SHA-256 of the exact plaintext of the accepted `nego.open`, lowercase hex; `bond/1`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub terms: Option<String>,
}

/// `nego.open_reject`: the recipient's human refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenReject {
    /// The thread again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub thread: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

/// `nego.open_expired`: nobody answered in time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenExpired {
    /// The thread again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub thread: Option<String>,
}

/// `nego.turn`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// The thread again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub thread: Option<String>,
    /// The sender's count; ignored.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub turn_count: Option<serde_json::Number>,
    /// What the turn is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub msg_type: Option<String>,
    /// In words; for `accept` a JSON object with `section_id`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub body: Option<String>,
    /// The exact bytes proposed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub deliverable: Option<Deliverable>,
}

/// What a turn does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum TurnKind {
    /// Puts a deliverable forward.
    Propose,
    /// Puts another one forward instead.
    Counter,
    /// Accepts the last one.
    Accept,
}

impl TurnKind {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Propose => "propose",
            Self::Counter => "counter",
            Self::Accept => "accept",
        }
    }
}

/// `nego.signed`: the sender's agent signed a hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signed {
    /// The thread again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub thread: Option<String>,
    /// SHA-256 of the deliverable, lowercase hex.
    pub artifact_hash: String,
    /// The agreement digest, lowercase hex; `bond/1`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agreement: Option<String>,
}

/// `nego.ratified`: the sender's human ratified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ratified {
    /// The thread again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub thread: Option<String>,
    /// SHA-256 of the deliverable, lowercase hex.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub artifact_hash: Option<String>,
    /// The agreement digest, lowercase hex; `bond/1`, like all that follow.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agreement: Option<String>,
    /// When the human approved, unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub approved_at: Option<u64>,
    /// Until when the other side may ratify, unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub offer_expires_at: Option<u64>,
    /// How the human approved.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub channel: Option<String>,
    /// base64url of the signature over all of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ratify_sig: Option<String>,
    /// What the sender's approver signed, where the sender has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub approval: Option<ApprovalWord>,
}

/// That an approver approved a ratification. The agreement digest is signed too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalWord {
    /// The pending item at the sender.
    pub pending: String,
    /// Digest of what its human saw, lowercase hex.
    pub digest: String,
    /// base64url of the approver's signature.
    pub sig: String,
}

/// `nego.budget_propose` and `nego.budget_approved`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetProposal {
    /// The thread again.
    pub thread: String,
    /// A UUID.
    pub proposal_id: String,
    /// The new number of turns.
    pub new_max_turns: u32,
}

impl BudgetProposal {
    pub(super) fn is_sound(&self) -> bool {
        is_uuid(&self.proposal_id) && (1..=MAX_TURNS).contains(&self.new_max_turns)
    }
}

/// `nego.budget_reject`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetReject {
    /// The thread again.
    pub thread: String,
    /// The UUID of the proposal.
    pub proposal_id: String,
    /// The number that was proposed.
    pub new_max_turns: u32,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

impl BudgetReject {
    pub(super) fn is_sound(&self) -> bool {
        is_uuid(&self.proposal_id) && super::is_reason(self.reason.as_deref())
    }
}

/// 8-4-4-4-12 hex digits, any version and case.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(n, b)| match n {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_are_utc_instants() {
        assert_eq!(deadline_ms("1970-01-01T00:00:01Z"), Some(1_000));
        assert_eq!(deadline_ms("1970-01-01T00:01Z"), Some(60_000));
        assert_eq!(deadline_ms("1970-01-01T00:00:01.250Z"), Some(1_250));
        for text in [
            "",
            "Z",
            "1970-01-01T00:00:01",
            "1970-01-01T00:00:01+00:00",
            "1970-01-01t00:00:01Z",
            "1970-02-30T00:00:00Z",
            "1970-01-01 00:00:00Z",
            "1970-01-01Z",
            "1970-01-01T05Z",
            "19700101T000000Z",
        ] {
            assert_eq!(deadline_ms(text), None, "{text}");
        }
    }

    #[test]
    fn uuids_have_their_shape() {
        assert!(is_uuid("00000000-0000-4000-8000-00000000000A"));
        assert!(!is_uuid("00000000-0000-4000-8000-00000000000g"));
        assert!(!is_uuid("000000000-000-4000-8000-000000000000"));
    }
}
