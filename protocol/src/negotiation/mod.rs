//! Negotiation: a session from opening to an agreement that both humans ratified.

mod agreement;
mod deliverable;
mod receipt;
mod session;

pub use agreement::{Agreement, CHANNEL_BYTES, Ratification, Ratify};
pub use deliverable::{Deliverable, DeliverableFault, DeliverableKind, Described};
pub(crate) use receipt::FORMAT as RECEIPT_FORMAT;
pub use receipt::{Receipt, ReceiptFault, VerifiedReceipt};
pub use session::{
    Agreed, Ended, Extension, Live, OPEN_MS, Pending, Phase, RATIFY_MS, Session, Side, SignedHash, SignedPhase, TurnRow,
};
