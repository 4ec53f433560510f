//! What a command answers at once. What follows later is in the feed.

use serde::{Deserialize, Serialize};

use crate::gate::Decision;

/// The answer to a command: the members that the command's documentation names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Reply {
    /// A pairing.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pairing: Option<String>,
    /// A pending item.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pending: Option<String>,
    /// A bond.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bond: Option<String>,
    /// A message.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mid: Option<String>,
    /// An envelope.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<String>,
    /// A thread.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub thread: Option<String>,
    /// A position in a thread.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seq: Option<u64>,
    /// The number of a turn.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub turn: Option<u32>,
    /// SHA-256 of a deliverable, lowercase hex.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sha256: Option<String>,
    /// A status.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<String>,
    /// An agreement digest, lowercase hex.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agreement: Option<String>,
    /// A decision.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decision: Option<Decision>,
    /// Wrong codes that may still be typed: the code was wrong.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub attempts_left: Option<u32>,
    /// What was wrong: `code` or `pin`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wrong: Option<String>,
}
