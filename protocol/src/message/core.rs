//! `core/1`: messages, closing, acknowledgements.

use serde::{Deserialize, Serialize};

use crate::limits::ACK_IDS;

/// `core.msg`: a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Msg {
    /// The text.
    pub body: String,
    /// What sort of message, in the sender's words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<String>,
}

/// `core.close`: the sender ends a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Close {
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

/// `core.ack`: which envelopes were processed, and which were refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ack {
    /// The last sequence number accepted; the draft's only key.
    pub ack_seq: serde_json::Number,
    /// Ids processed; `bond/1`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub acked: Vec<String>,
    /// Ids refused after their signature was found good; `bond/1`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub refused: Vec<RefusedId>,
    /// When the sender's agent last took note of its inbox, unix seconds; `bond/1`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub looked_at: Option<u64>,
}

/// One refused envelope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedId {
    /// Its id.
    pub id: String,
    /// The code of the refusal.
    pub code: String,
}

impl Ack {
    pub(super) fn is_bounded(&self) -> bool {
        self.acked.len() <= ACK_IDS && self.refused.len() <= ACK_IDS
    }
}
