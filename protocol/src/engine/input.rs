//! What a host tells the engine.

use serde::{Deserialize, Serialize};

use crate::gate::{Approver, Decision};
use crate::message::{Open, TurnKind};
use crate::negotiation::Deliverable;
use crate::pairing::code::Form;

/// One input. The host hands them over one at a time, each with the clock and 32 fresh random bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "input", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum Input {
    /// Time has passed, or another process changed the store.
    Tick,
    /// This process may use the network from now on, or no longer.
    Network {
        /// Whether it may.
        online: bool,
    },
    /// The owner, or the owner's agent, wants something.
    Command {
        /// What.
        command: Command,
    },
    /// A relay answered a call.
    Answer {
        /// The call.
        call: String,
        /// HTTP status.
        status: u16,
        /// Seconds, from the `Retry-After` header.
        retry_after: Option<u32>,
        /// Unix milliseconds, from the `Date` header.
        #[serde(default)]
        date: Option<u64>,
        /// The body as text; empty if `bytes` are given.
        body: String,
        /// The body, if the call wanted bytes and the status is 200.
        #[serde(default, with = "serde_bytes")]
        #[cfg_attr(feature = "typescript", tsify(optional, type = "Uint8Array"))]
        bytes: Option<Vec<u8>>,
    },
    /// A call got no answer: no connection, a time-out, an abort.
    NoAnswer {
        /// The call.
        call: String,
        /// In words, for the log.
        reason: String,
    },
    /// A stream is open.
    StreamOpened {
        /// The stream.
        stream: String,
    },
    /// A text frame arrived on a stream.
    StreamFrame {
        /// The stream.
        stream: String,
        /// The frame.
        text: String,
    },
    /// A stream ended, or never opened.
    StreamClosed {
        /// The stream.
        stream: String,
    },
}

/// What an owner or the owner's agent can ask for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum Command {
    /// Be called something in later pairings.
    Label {
        /// At most 64 characters; nothing to be nameless.
        label: Option<String>,
    },
    /// Make an invite. Reply: `{pairing}`; the code is in the pairing's view once the relay has the invite.
    Invite {
        /// Words, digits or link.
        form: Form,
        /// Words such as `message` and `negotiate`.
        scope: Vec<String>,
        /// `bonded_contact` or `ephemeral_until_session_closes`.
        mode: String,
        /// Base URL of the relay.
        relay: String,
        /// The owner's name for the peer.
        petname: Option<String>,
    },
    /// Withdraw an invite, or give up joining.
    CancelPairing {
        /// The pairing.
        pairing: String,
    },
    /// Use a code. Reply: `{pairing}`.
    Join {
        /// As typed, pasted or scanned.
        code: String,
        /// Base URL of the relay; a link's own relay goes first.
        relay: String,
        /// The owner's name for the peer.
        petname: Option<String>,
    },
    /// Decide a pending item with a code that a human read. Reply: `{decision}`, or `{attemptsLeft, wrong}` for a wrong
    /// code or PIN.
    Decide {
        /// The item.
        pending: String,
        /// Six digits.
        code: String,
        /// How the code came, for the audit log.
        channel: String,
        /// Words for a rejection.
        reason: Option<String>,
        /// What the human said: a code that stands for the other decision is wrong then.
        #[serde(default)]
        decision: Option<Decision>,
        /// The approver's signature, where a PIN is set: see [`Engine::prove`](super::Engine::prove).
        #[serde(default)]
        proof: Option<String>,
    },
    /// Set, change or remove the PIN: see [`Engine::approver_command`](super::Engine::approver_command).
    Approver {
        /// The approver from now on.
        approver: Option<Approver>,
        /// The signature of the one before, if there is one.
        proof: Option<String>,
    },
    /// Take note of the feed up to an entry.
    Read {
        /// Its number.
        up_to: u64,
    },
    /// Stop the agent on a bond, and ask the human whether it shall go on. Reply: `{pending}`.
    Brake {
        /// Bond id or petname.
        bond: String,
        /// Why, for the human.
        why: String,
    },
    /// Say that the store was just restored from a backup.
    Restored,
    /// Draw new codes for a pending item, because the old ones were lost. Answered by an `ask_human` effect.
    Reissue {
        /// The item.
        pending: String,
    },
    /// Ask the human to confirm that the safety numbers are equal. Reply: `{pending}`.
    Verify {
        /// Bond id or petname.
        bond: String,
        /// The number that the host computed and shows.
        number: String,
    },
    /// Call a peer something else.
    Rename {
        /// Bond id or petname.
        bond: String,
        /// The new name.
        petname: String,
    },
    /// Send a message. Reply: `{mid, id, thread, seq}`.
    Send {
        /// Bond id or petname.
        bond: String,
        /// The text.
        body: String,
        /// What sort of message.
        kind: Option<String>,
        /// The thread; a new one if absent.
        thread: Option<String>,
        /// Seconds until it is not worth delivering.
        ttl: Option<u32>,
    },
    /// Close a thread.
    Close {
        /// Bond id or petname.
        bond: String,
        /// The thread.
        thread: String,
        /// Why.
        reason: Option<String>,
    },
    /// Open a negotiation. Reply: `{thread}`.
    Open {
        /// Bond id or petname.
        bond: String,
        /// The terms.
        terms: Open,
    },
    /// Take a turn. Reply: `{turn, sha256?}`.
    Turn {
        /// Bond id or petname.
        bond: String,
        /// The thread.
        thread: String,
        /// Propose, counter or accept.
        kind: TurnKind,
        /// In words.
        body: String,
        /// The exact deliverable, for `propose` and `counter`.
        deliverable: Option<Deliverable>,
        /// For `accept`: which deliverable is meant, by its SHA-256. Refused unless it is the peer's last.
        sha256: Option<String>,
    },
    /// Sign the hash of a deliverable whose bytes this host holds. Reply: `{status, agreement}`.
    Sign {
        /// Bond id or petname.
        bond: String,
        /// The thread.
        thread: String,
        /// SHA-256, lowercase hex.
        sha256: String,
    },
    /// Ask for more turns. Reply: `{pending}`.
    Extend {
        /// Bond id or petname.
        bond: String,
        /// The thread.
        thread: String,
        /// The new number of turns of both sides together.
        max_turns: u32,
    },
    /// End a bond, alone and at once.
    Revoke {
        /// Bond id or petname.
        bond: String,
        /// Why, for the peer.
        reason: Option<String>,
    },
}
