//! Everything that is stored, as tables.

use serde::{Deserialize, Serialize};

use super::pairing::{Pairing, PairingSecret};
use super::table::{Record, Stored, Table};
use crate::artifact::SpillRef;
use crate::audit::AuditHead;
use crate::bond::Bond;
use crate::error::Bug;
use crate::gate::{Approver, Attempts, PendingItem};
use crate::message::RefusedId;
use crate::negotiation::{Deliverable, Receipt, Session, TurnRow};
use crate::secret::Secret;

/// The host itself; one row, under [`HOST`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Host {
    pub(super) label: Option<String>,
    pub(super) feed: u64,
    pub(super) outbox: u64,
    pub(super) audit: AuditHead,
    /// Entries of the feed up to this one were taken note of.
    #[serde(default)]
    pub(super) read: u64,
    /// When the owner's agent last took note of something, unix milliseconds.
    #[serde(default)]
    pub(super) looked_at: u64,
    /// The approver, where the owner has set a PIN.
    #[serde(default)]
    pub(super) approver: Option<Approver>,
    /// Counts the changes of the approver.
    #[serde(default)]
    pub(super) approver_version: u64,
    /// The signature of the approver before over the last change.
    #[serde(default)]
    pub(super) approver_proof: Option<String>,
}

/// Key of the only row of [`Host`], and of the root seed.
pub(super) const HOST: &str = "root";

/// A seed: of the root identity, or of a bond's. The only records that hold one begin with `secret`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Seed(pub(super) Secret<32>);

/// Both directions of a thread.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Thread {
    /// Last sequence number sealed.
    pub(super) sealed: u64,
    /// Last sequence number accepted.
    pub(super) accepted: u64,
    /// Whether either side closed it.
    pub(super) is_closed: bool,
}

/// Reading position and replay state of a bond's inbox.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Inbox {
    /// Last relay row processed.
    pub(super) cursor: u64,
    /// The relay's name for its own memory: another one means that it lost its rows.
    pub(super) epoch: Option<String>,
    /// Where the next nonce is written.
    pub(super) next_nonce: u64,
    /// Nothing sealed at or before this instant is believed any more: its nonce may be forgotten.
    pub(super) low_ts: u64,
}

/// A nonce seen on a bond, in either direction.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SeenNonce {
    pub(super) nonce: String,
    pub(super) ts: u64,
}

/// An owner message of the peer that had its effect, or was refused it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SeenMid {
    pub(super) forget_at: u64,
    /// The code of the refusal.
    #[serde(default)]
    pub(super) refused: Option<String>,
}

/// Acknowledgements not sent yet.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct AckDue {
    pub(super) acked: Vec<String>,
    pub(super) refused: Vec<RefusedId>,
    pub(super) seq: u64,
    pub(super) send_at: u64,
}

/// An envelope on its way. The bytes stay the same from attempt to attempt.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OutRow {
    pub(super) n: u64,
    pub(super) bond: String,
    pub(super) kind: String,
    pub(super) thread: String,
    pub(super) id: String,
    /// Ids under which it was sealed before.
    pub(super) earlier_ids: Vec<String>,
    pub(super) mid: Option<String>,
    pub(super) wire: String,
    pub(super) payload: String,
    pub(super) created_at: u64,
    pub(super) expires_at: u64,
    pub(super) relayed_at: Option<u64>,
    /// First sign of life of the peer after that.
    #[serde(default)]
    pub(super) alive_at: Option<u64>,
    /// The peer holds the bond: it takes nothing of the owner's until its human lets it.
    #[serde(default)]
    pub(super) is_held: bool,
    /// SHA-256 of the artifact that it refers to, lowercase hex.
    #[serde(default)]
    pub(super) artifact: Option<String>,
}

/// An artifact on its way to the relay.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Upload {
    /// base64url; empty once it is uploaded.
    pub(super) sealed: String,
    pub(super) is_uploaded: bool,
}

/// An authentic envelope that waits for the bytes it refers to, or behind one that does.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Parked {
    pub(super) n: u64,
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) thread: String,
    pub(super) wire: String,
    pub(super) reference: Option<SpillRef>,
    pub(super) expires_at: u64,
}

/// Inputs refused before a good signature, by code and hour: anybody can cause them, so they are only counted.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Rejected {
    pub(super) count: u64,
}

macro_rules! tables {
    ($($field:ident: $row:ty = $name:literal,)+) => {
        $(impl Stored for $row { const TABLE: &'static str = $name; })+

        /// All tables.
        #[derive(Debug, Default)]
        pub(super) struct State { $(pub(super) $field: Table<$row>,)+ }

        impl State {
            /// Takes over a stored record.
            pub(super) fn load(&mut self, record: &Record) -> Result<(), Bug> {
                let (table, key) = record.key.split_once('/').ok_or(Bug::CorruptRecord)?;
                match table {
                    $($name => self.$field.load(key, record.value.as_deref()),)+
                    _ => Err(Bug::CorruptRecord),
                }
            }

            /// The changes since the last commit.
            pub(super) fn commit(&mut self) -> Result<Vec<Record>, Bug> {
                let mut records = Vec::new();
                $(self.$field.commit(&mut records)?;)+
                Ok(records)
            }

            /// Back to the last commit.
            pub(super) fn undo(&mut self) {
                $(self.$field.undo();)+
            }
        }
    };
}

tables! {
    host: Host = "host",
    seeds: Seed = "secret",
    pairing_secrets: PairingSecret = "secret_pairing",
    pairings: Pairing = "pairing",
    bonds: Bond = "bond",
    threads: Thread = "thread",
    inboxes: Inbox = "inbox",
    nonces: SeenNonce = "nonce",
    mids: SeenMid = "mid",
    acks: AckDue = "ack",
    outbox: OutRow = "outbox",
    uploads: Upload = "upload",
    parked: Parked = "parked",
    sessions: Session = "session",
    turns: TurnRow = "turn",
    deliverables: Deliverable = "deliverable",
    receipts: Receipt = "receipt",
    pendings: PendingItem = "pending",
    attempts: Attempts = "attempt",
    rejected: Rejected = "rejected",
}
