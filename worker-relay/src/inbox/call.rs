//! What the Worker asks of an inbox: one line of JSON, then the bytes it is about.
//!
//! Everything that can be judged without the inbox (shape, size, signatures, the challenge's own
//! truth) was judged before; the object is reachable by this Worker only.

use serde::{Deserialize, Serialize};

/// A signed challenge that is good for one act. The inbox remembers it until it expires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permit {
    /// The challenge's text.
    pub challenge: String,
    /// Unix seconds.
    pub expires_at_s: u64,
}

/// One request to an inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Call {
    /// Replace the allowlist. The bytes are the request body as it came.
    Allow {
        /// The version in the signed list.
        version: Option<u64>,
        /// The senders.
        allowed: Vec<String>,
        /// SHA-256 of the signed bytes, hex.
        digest: String,
        /// The relay is open, or the token was right.
        may_register: bool,
    },
    /// Store an envelope. The bytes are the envelope as it came.
    Post {
        /// The verified sender.
        sender: String,
        /// SHA-256 of the envelope's id, hex: an id may be any text of any length.
        id_digest: String,
        /// Unix seconds.
        ttl_s: u64,
    },
    /// Read from a row on.
    Pull {
        /// The owner's permit.
        permit: Permit,
        /// The last row that the reader has.
        since: u64,
        /// Only these senders.
        senders: Option<Vec<String>>,
    },
    /// Delete what one sender left.
    Purge {
        /// The owner's permit.
        permit: Permit,
        /// The sender.
        sender: String,
    },
    /// Delete what was durably processed.
    Trim {
        /// The owner's permit.
        permit: Permit,
        /// The last row to delete.
        through: u64,
    },
    /// Reserve quota for an upload.
    Reserve {
        /// Names this upload.
        upload: String,
        /// The artifact's hash, hex.
        hash: String,
        /// Bytes.
        size: u64,
    },
    /// The upload is stored.
    Commit {
        /// Names the upload.
        upload: String,
        /// The artifact's hash, hex.
        hash: String,
        /// Bytes.
        size: u64,
    },
    /// The upload failed.
    Release {
        /// Names the upload.
        upload: String,
    },
    /// Panic, for the test of the shim's guard.
    #[cfg(feature = "test-panic")]
    Panic,
}

/// What opens a live stream. It travels in a header, because an upgrade has no body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// The owner's permit.
    pub permit: Permit,
    /// The last row that the reader has.
    pub since: u64,
}
