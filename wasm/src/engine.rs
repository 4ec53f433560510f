//! The engine of one host. The contract is in `agentpair_protocol::engine`; here it only changes language.

use agentpair_protocol::audit::{self, AuditRecord, SignedHead};
use agentpair_protocol::engine::view::{
    BondView, HostView, OutboxView, PairingView, PendingView, SessionView, TurnView,
};
use agentpair_protocol::engine::{Command, Effect, Engine as Core, FeedItem, Input, Record, Reply};
use agentpair_protocol::error::{Bug, Failure};
use agentpair_protocol::message::HostKind;
use agentpair_protocol::negotiation::{Deliverable, Receipt, VerifiedReceipt};
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;
use zeroize::Zeroizing;

use crate::error::{CodedError, coded, failed, invalid};
use crate::number::natural;
use crate::random::rng;

/// The state of one host, in memory. It does nothing by itself: hand over inputs, carry out effects.
#[wasm_bindgen]
pub struct Engine {
    core: Core,
}

#[wasm_bindgen]
impl Engine {
    /// Restores an engine from all stored records; from none for a new host.
    ///
    /// # Errors
    /// `corrupt_record` if a record does not parse.
    pub fn restore(records: Vec<Ts<Record>>) -> Result<Engine, CodedError> {
        let core = Core::restore(&all_from_js(&records)?).map_err(|bug| failed(&bug.into()))?;
        Ok(Self { core })
    }

    /// Says what keeps the keys, a process or a page: peers are told. A process unless said otherwise.
    ///
    /// # Errors
    /// `invalid_argument` for anything else.
    #[wasm_bindgen(js_name = setKind)]
    pub fn set_kind(&mut self, kind: Ts<HostKind>) -> Result<(), CodedError> {
        self.core.set_kind(kind.to_rust().map_err(|error| invalid(&error.to_string()))?);
        Ok(())
    }

    /// Takes over records that another process stored.
    ///
    /// # Errors
    /// `corrupt_record` if a record does not parse; the engine is then of no use.
    pub fn apply(&mut self, records: Vec<Ts<Record>>) -> Result<(), CodedError> {
        self.core.apply(&all_from_js(&records)?).map_err(|bug| failed(&bug.into()))
    }

    /// One step. `now` is in unix milliseconds, `entropy` is 32 fresh random bytes.
    /// Call [`Engine::drain`] afterwards, and carry out what it returns.
    ///
    /// # Errors
    /// With `code` and `blame`; the state has not changed.
    pub fn handle(&mut self, now: f64, entropy: &[u8], input: Ts<Input>) -> Result<Ts<Reply>, CodedError> {
        let now = natural("now", now)?;
        let entropy = <[u8; 32]>::try_from(entropy).map_err(|_| invalid("entropy is not 32 bytes"))?;
        let input = input.to_rust().map_err(|error| invalid(&error.to_string()))?;
        let reply = self.core.handle(now, entropy, input).map_err(|failure| failed(&failure))?;
        to_js(&reply)
    }

    /// The effects of the last step, in order.
    ///
    /// # Errors
    /// `serialise_failed` if an effect cannot cross into JavaScript; discard the engine then.
    pub fn drain(&mut self) -> Result<Vec<Ts<Effect>>, CodedError> {
        std::iter::from_fn(|| self.core.poll()).map(|effect| to_js(&effect)).collect()
    }

    /// This host.
    ///
    /// # Errors
    /// `invariant_broken` before the first step.
    pub fn host(&self) -> Result<Ts<HostView>, CodedError> {
        to_js(&self.core.host().map_err(|bug| failed(&bug.into()))?)
    }

    /// Whether what waits at the relays is here, or comes right now: each inbox is being read by this engine or another one
    /// of its store, or its relay cannot be reached.
    #[wasm_bindgen(js_name = isListening)]
    #[must_use]
    pub fn is_listening(&self) -> bool {
        self.core.is_listening()
    }

    /// All pairings, those that ended not long ago too.
    ///
    /// # Errors
    /// `serialise_failed`.
    pub fn pairings(&self) -> Result<Vec<Ts<PairingView>>, CodedError> {
        all_to_js(&self.core.pairings())
    }

    /// All bonds.
    ///
    /// # Errors
    /// `serialise_failed`.
    pub fn bonds(&self) -> Result<Vec<Ts<BondView>>, CodedError> {
        all_to_js(&self.core.bonds())
    }

    /// All sessions.
    ///
    /// # Errors
    /// `serialise_failed`.
    pub fn sessions(&self) -> Result<Vec<Ts<SessionView>>, CodedError> {
        all_to_js(&self.core.sessions())
    }

    /// One session.
    ///
    /// # Errors
    /// `serialise_failed`.
    pub fn session(&self, bond: &str, thread: &str) -> Result<Option<Ts<SessionView>>, CodedError> {
        self.core.session(bond, thread).as_ref().map(to_js).transpose()
    }

    /// The turns of a session, in order.
    ///
    /// # Errors
    /// `serialise_failed`.
    pub fn turns(&self, bond: &str, thread: &str) -> Result<Vec<Ts<TurnView>>, CodedError> {
        all_to_js(&self.core.turns(bond, thread))
    }

    /// A deliverable of a session with its bytes, by SHA-256 in lowercase hex.
    ///
    /// # Errors
    /// `serialise_failed`.
    pub fn deliverable(&self, bond: &str, thread: &str, sha256: &str) -> Result<Option<Ts<Deliverable>>, CodedError> {
        self.core.deliverable(bond, thread, sha256).as_ref().map(to_js).transpose()
    }

    /// What waits for the human.
    ///
    /// # Errors
    /// `serialise_failed`.
    pub fn pendings(&self) -> Result<Vec<Ts<PendingView>>, CodedError> {
        all_to_js(&self.core.pendings())
    }

    /// Own messages that are not delivered yet.
    ///
    /// # Errors
    /// `serialise_failed`.
    pub fn outbox(&self) -> Result<Vec<Ts<OutboxView>>, CodedError> {
        all_to_js(&self.core.outbox())
    }

    /// The head of the audit log, signed by the root identity at `now`, unix milliseconds.
    ///
    /// # Errors
    /// `invariant_broken` before the first step.
    #[wasm_bindgen(js_name = auditHead)]
    pub fn audit_head(&self, now: f64) -> Result<Ts<SignedHead>, CodedError> {
        to_js(&self.core.audit_head(natural("now", now)?).map_err(|bug| failed(&bug.into()))?)
    }

    /// The approver's signature over what a typed code stands for: for the `proof` of a `decide` command. Nothing if
    /// code or PIN is wrong, or no PIN is set. Takes a good third of a second.
    #[must_use]
    pub fn prove(&self, pending: &str, code: &str, pin: String) -> Option<String> {
        self.core.prove(pending, code, &Zeroizing::new(pin))
    }

    /// The command that sets the PIN to `pin`, or removes it. Takes up to a second.
    ///
    /// # Errors
    /// `invalid_argument` for a PIN that is too short; `pin_required` or `invalid_pin` if `current` is not the one
    /// before.
    #[wasm_bindgen(js_name = approverCommand)]
    pub fn approver_command(&self, pin: Option<String>, current: Option<String>) -> Result<Ts<Command>, CodedError> {
        let (pin, current) = (pin.map(Zeroizing::new), current.map(Zeroizing::new));
        let [pin, current] = [&pin, &current].map(|text| text.as_ref().map(|text| text.as_str()));
        to_js(&self.core.approver_command(pin, current, &mut rng()?).map_err(|failure| failed(&failure))?)
    }

    /// The receipt of an agreed session: JSON text that proves itself.
    #[must_use]
    pub fn receipt(&self, bond: &str, thread: &str) -> Option<String> {
        self.core.receipt(bond, thread)
    }
}

/// Reads an entry of the feed from the value in the log.
///
/// # Errors
/// `corrupt_record`.
#[wasm_bindgen(js_name = feedItem)]
pub fn feed_item(value: &str) -> Result<Ts<FeedItem>, CodedError> {
    to_js(&FeedItem::parse(value).map_err(|bug| failed(&bug.into()))?)
}

/// Reads a record of the audit log from the value in the log.
///
/// # Errors
/// `corrupt_record`.
#[wasm_bindgen(js_name = auditRecord)]
pub fn audit_record(value: &str) -> Result<Ts<AuditRecord>, CodedError> {
    to_js(&AuditRecord::parse(value).map_err(|bug| failed(&bug.into()))?)
}

/// Verifies an audit log, or a part of one: numbers, links and hashes, and the signed head if there is one.
/// Returns the hash of the last record.
///
/// # Errors
/// `invalid_audit`; its message says which record does not fit.
#[wasm_bindgen(js_name = verifyAudit)]
pub fn verify_audit(records: Vec<Ts<AuditRecord>>, head: Option<Ts<SignedHead>>) -> Result<String, CodedError> {
    let bad = |text: String| coded("invalid_audit", "caller", &text);
    let records: Vec<AuditRecord> = records
        .iter()
        .map(|record| record.to_rust().map_err(|error| bad(error.to_string())))
        .collect::<Result<_, _>>()?;
    let end = audit::verify(&records).map_err(|n| bad(format!("record {n} is missing or was altered")))?;
    if let Some(head) = head {
        let head: SignedHead = head.to_rust().map_err(|error| bad(error.to_string()))?;
        if !head.holds() {
            return Err(bad("the signature of the head is not good".to_owned()));
        }
        if (head.n, &head.hash) != (end.n, &end.hash) {
            return Err(bad(format!("the head is that of record {}, the last record is {}", head.n, end.n)));
        }
    }
    Ok(end.hash)
}

/// Verifies a receipt from its bytes alone: that the holders of two keys signed this agreement.
///
/// # Errors
/// `invalid_receipt`; its message says what does not fit.
#[wasm_bindgen(js_name = verifyReceipt)]
pub fn verify_receipt(bytes: &[u8]) -> Result<Ts<VerifiedReceipt>, CodedError> {
    let verified = Receipt::verify(bytes).map_err(|fault| coded("invalid_receipt", "peer", fault.text()))?;
    to_js(&verified)
}

fn to_js<T: Tsify + serde::Serialize>(value: &T) -> Result<Ts<T>, CodedError> {
    value.into_ts().map_err(|error| failed(&Failure::Broken(Bug::Serialise, error.to_string())))
}

fn all_to_js<T: Tsify + serde::Serialize>(values: &[T]) -> Result<Vec<Ts<T>>, CodedError> {
    values.iter().map(to_js).collect()
}

fn all_from_js(records: &[Ts<Record>]) -> Result<Vec<Record>, CodedError> {
    records.iter().map(|record| record.to_rust().map_err(|error| invalid(&error.to_string()))).collect()
}
