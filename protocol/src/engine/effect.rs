//! What the engine asks a host to do.

use serde::{Deserialize, Serialize};

use super::table::Record;
use super::view::PendingView;

/// One effect. The host carries them out in order; what follows a `persist` waits until it is durable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum Effect {
    /// Write all of it in one transaction. At most one in a step, and always the first effect.
    Persist {
        /// Records written or deleted.
        records: Vec<Record>,
        /// Entries appended to logs.
        entries: Vec<LogEntry>,
    },
    /// Make an HTTP request to `relay` + `path`, and report with `answer` or `no_answer`.
    Call {
        /// Names the call in the report.
        call: String,
        /// Base URL, without a slash at the end.
        relay: String,
        /// `GET`, `PUT`, `POST` or `DELETE`.
        method: String,
        /// Path and query.
        path: String,
        /// Header names and values.
        headers: Vec<(String, String)>,
        /// The body, JSON unless a header says otherwise.
        body: Option<String>,
        /// The body, where it is not text.
        #[serde(default, with = "serde_bytes")]
        #[cfg_attr(feature = "typescript", tsify(optional, type = "Uint8Array"))]
        bytes: Option<Vec<u8>>,
        /// Give up after this many milliseconds.
        timeout_ms: u32,
        /// Give up if the answer has more bytes than this.
        answer_limit: u32,
        /// Report the answer's `bytes` instead of its text if the status is 200.
        wants_bytes: bool,
    },
    /// Open a WebSocket to `relay` + `path`.
    OpenStream {
        /// Names the stream in reports.
        stream: String,
        /// Base URL, `http` or `https`.
        relay: String,
        /// Path and query.
        path: String,
    },
    /// Send a text frame.
    StreamSend {
        /// The stream.
        stream: String,
        /// The frame.
        text: String,
    },
    /// Close a stream. No report is expected.
    CloseStream {
        /// The stream.
        stream: String,
    },
    /// Show an item to the human, by a channel that no agent reads. The codes exist nowhere else.
    AskHuman {
        /// The item.
        pending: PendingView,
        /// Six digits that approve.
        approve_code: String,
        /// Six digits that reject.
        reject_code: String,
    },
    /// An item is decided or void: take it off the channel.
    Withdraw {
        /// The item.
        pending: String,
    },
    /// The feed has a new entry. A hint: the feed itself is in the store.
    Emit {
        /// Its number.
        n: u64,
    },
    /// Hand over `tick` at this instant, unix milliseconds, if nothing comes sooner. Replaces the one before.
    WakeAt {
        /// Unix milliseconds.
        at: u64,
    },
}

/// A log that is only appended to, and not loaded at start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum Log {
    /// What the owner and the owner's agent should know: see [`FeedItem`](super::feed::FeedItem).
    Feed,
    /// The audit log: see [`AuditRecord`](crate::audit::AuditRecord).
    Audit,
}

/// One entry of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct LogEntry {
    /// Which log.
    pub log: Log,
    /// Its number, from 1.
    pub n: u64,
    /// JSON text.
    pub value: String,
}
