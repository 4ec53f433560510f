//! What a verified message leads to.

use super::Engine;
use super::feed::Event;
use super::receive::Received;
use super::sessions::session_key;
use super::step::Step;
use crate::bond::Bond;
use crate::error::{Failure, Reject};
use crate::message::{Close, Message, Msg};
use crate::negotiation::Side;

/// The peer's fault, or nothing; a failure is our own.
pub(super) type Dispatched = Result<Result<(), Reject>, Failure>;

impl Engine {
    pub(super) fn dispatch(&mut self, step: &mut Step, bond: &Bond, received: Received) -> Dispatched {
        let Received { headers, message, plaintext, gap, .. } = received;
        let thread = headers.thread.as_str();
        match message {
            Message::Msg(Msg { body, kind }) => {
                if self.state.threads.get(&format!("{}/{thread}", bond.id)).is_some_and(|t| t.is_closed) {
                    return Ok(Err(Reject::ThreadClosed));
                }
                let event = Event::Message {
                    bond: bond.id.clone(),
                    thread: thread.to_owned(),
                    id: headers.id,
                    seq: headers.seq,
                    kind,
                    body,
                    gap,
                };
                step.emit(&mut self.state, event)?;
                Ok(Ok(()))
            }
            Message::Close(Close { reason }) => {
                self.close_thread(&bond.id, thread);
                if self.state.sessions.contains(&session_key(&bond.id, thread)) {
                    // The draft's words for why a session ended; anything else is shown as the peer's words.
                    let known = [
                        "ratify_rejected",
                        "ratify_expired",
                        "deadline_expired",
                        "bond_revoked",
                        "restored",
                        "undeliverable",
                    ];
                    let code = reason.as_deref().filter(|r| known.contains(r)).unwrap_or("thread_closed").to_owned();
                    self.end_session(step, &bond.id, thread, &code, reason.clone(), Side::Peer)?;
                }
                let event = Event::ThreadClosed { bond: bond.id.clone(), thread: thread.to_owned(), reason };
                step.emit(&mut self.state, event)?;
                Ok(Ok(()))
            }
            Message::Ack(ack) => {
                self.on_ack(step, &bond.id, &ack)?;
                Ok(Ok(()))
            }
            Message::Hello(hello) => self.on_hello(step, bond, *hello),
            Message::Revoked(revoked) => self.on_revoked(step, bond, revoked.reason),
            Message::Open(open) => self.on_open(step, bond, thread, open, plaintext),
            Message::OpenApproved(m) => self.on_open_approved(step, bond, thread, m.terms.as_deref()),
            Message::OpenReject(m) => self.on_open_refused(step, bond, thread, "open_rejected", m.reason),
            Message::OpenExpired(_) => self.on_open_refused(step, bond, thread, "open_expired", None),
            Message::Turn(turn) => self.on_turn(step, bond, thread, turn),
            Message::Signed(signed) => self.on_signed(step, bond, thread, signed),
            Message::Ratified(ratified) => self.on_ratified(step, bond, thread, ratified),
            Message::BudgetPropose(p) => self.on_budget_propose(step, bond, thread, p),
            Message::BudgetApproved(p) => self.on_budget_approved(step, bond, thread, &p),
            Message::BudgetReject(p) => self.on_budget_reject(step, bond, thread, &p),
        }
    }

    /// Marks a thread as closed: nothing more is sent or taken on it.
    pub(super) fn close_thread(&mut self, bond: &str, thread: &str) {
        if let Some(thread) = self.state.threads.get_mut(&format!("{bond}/{thread}")) {
            thread.is_closed = true;
        }
    }
}
