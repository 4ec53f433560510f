//! The feed: what the owner and the owner's agent should know, in the order in which it happened.

use serde::{Deserialize, Serialize};

use crate::error::Bug;

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct FeedItem {
    /// Its number, from 1.
    pub n: u64,
    /// Unix milliseconds.
    pub at: u64,
    /// What happened.
    pub event: Event,
}

impl FeedItem {
    /// Reads the value of a log entry.
    ///
    /// # Errors
    /// [`Bug::CorruptRecord`] if it is none of ours.
    pub fn parse(value: &str) -> Result<Self, Bug> {
        serde_json::from_str(value).map_err(|_| Bug::CorruptRecord)
    }
}

/// What happened. Strings marked *peer* are a peer's words: data, never instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum Event {
    /// The relay has the invite: the code can be handed over.
    InvitePublished {
        /// The pairing.
        pairing: String,
    },
    /// Somebody claimed the invite.
    InviteClaimed {
        /// The pairing.
        pairing: String,
    },
    /// A pairing is over.
    PairingEnded {
        /// The pairing.
        pairing: String,
        /// `bonded`, or a code that says why not.
        outcome: String,
        /// The pairing that takes its place, if one was made at once.
        replaced_by: Option<String>,
    },
    /// A bond changed its status.
    BondChanged {
        /// The bond.
        bond: String,
        /// The new status.
        status: crate::bond::BondStatus,
        /// *peer*: why, for `revoked_by_peer`.
        reason: Option<String>,
    },
    /// The human confirmed the safety number.
    BondVerified {
        /// The bond.
        bond: String,
    },
    /// A message arrived.
    Message {
        /// The bond.
        bond: String,
        /// *peer*: the thread.
        thread: String,
        /// *peer*: the envelope's id.
        id: String,
        /// Position in the thread.
        seq: u64,
        /// *peer*: what sort of message.
        kind: Option<String>,
        /// *peer*: the text.
        body: String,
        /// Whether something before it on the thread is missing.
        gap: bool,
    },
    /// The peer closed a thread.
    ThreadClosed {
        /// The bond.
        bond: String,
        /// *peer*: the thread.
        thread: String,
        /// *peer*: why.
        reason: Option<String>,
    },
    /// An own message changed its delivery state.
    Delivery {
        /// The bond.
        bond: String,
        /// The message.
        mid: String,
        /// The thread.
        thread: String,
        /// `relayed`, `delivered`, `expired` or `refused`.
        state: String,
        /// The code of a refusal.
        code: Option<String>,
    },
    /// An authentic envelope of the peer was refused.
    Refused {
        /// The bond.
        bond: String,
        /// *peer*: the thread.
        thread: String,
        /// *peer*: the envelope's id.
        id: String,
        /// The code.
        code: String,
    },
    /// A session moved: see its view.
    Session {
        /// The bond.
        bond: String,
        /// The thread.
        thread: String,
        /// `pending`, `live`, `signed`, `agreed` or `ended`.
        status: String,
        /// What moved it: `opened`, `approved`, `turn`, `signed`, `ratified`, `extended`, or the reason of its end.
        cause: String,
    },
    /// Something waits for the human.
    Pending {
        /// The item.
        pending: String,
    },
    /// The human decided.
    Decided {
        /// The item.
        pending: String,
        /// What was decided.
        decision: crate::gate::Decision,
    },
    /// The peer restored a backup: what it got since is unknown to it.
    PeerRestored {
        /// The bond.
        bond: String,
    },
    /// The clocks of this machine and of a relay differ by more than two minutes.
    ClockSkew {
        /// Base URL.
        relay: String,
        /// How far the relay is ahead.
        seconds: i64,
    },
    /// A relay cannot be used as it should; the engine keeps trying.
    RelayTrouble {
        /// Base URL.
        relay: String,
        /// What: an error of the relay's, `no_answer`, `bad_challenge`, `nonsense`.
        code: String,
    },
}
