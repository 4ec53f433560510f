//! What the Worker asks of a pairing session: one line of JSON, then the message.

use serde::{Deserialize, Serialize};

/// One request to a pairing session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Call {
    /// Put a message into the slot.
    Post {
        /// The text of `If-Match`.
        condition: Option<String>,
    },
    /// Begin the session with the message of a claimed invite, unless it has begun.
    Open,
    /// Read the slot.
    Get {
        /// How long to wait for something new, milliseconds.
        wait_ms: u64,
        /// The entity tag that the reader has.
        not: Option<String>,
    },
}
