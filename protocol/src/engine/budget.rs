//! More turns: one side's human proposes a number, the other side's human grants exactly that number.

use super::Engine;
use super::dispatch::Dispatched;
use super::gates::tail;
use super::reply::Reply;
use super::sessions::session_key;
use super::step::Step;
use crate::bond::Bond;
use crate::error::{Bug, Failure, Misuse, Refusal, Reject};
use crate::gate::{Decision, Shown, Subject};
use crate::limits::MAX_TURNS;
use crate::message::{BudgetProposal, BudgetReject, Message};
use crate::negotiation::{Extension, Session, Side};

impl Engine {
    /// Asks this side's human to propose more turns.
    pub(super) fn ask_extension(
        &mut self,
        step: &mut Step,
        bond: &str,
        thread: &str,
        max_turns: u32,
    ) -> Result<Reply, Failure> {
        let bond = self.usable_bond(bond)?;
        let key = session_key(&bond.id, thread);
        let proposal_id = step.uuid();
        let session = self.state.sessions.get_mut(&key).ok_or(Refusal::SessionNotFound)?;
        if max_turns > MAX_TURNS || max_turns <= session.max_turns {
            return Err(Misuse::InvalidBudget.into());
        }
        session.check_extension(max_turns).map_err(Refusal::from)?;
        if session.extension.as_ref().is_some_and(|e| e.sent || e.by == Side::Peer) {
            return Err(Failure::Refused(Refusal::BudgetExhausted, "another extension is being decided".to_owned()));
        }
        session.extension =
            Some(Extension { proposal_id: proposal_id.clone(), new_max_turns: max_turns, by: Side::Me, sent: false });
        let session = session.clone();
        let pending = self.ask_turns(step, &bond, &session, &proposal_id, max_turns)?;
        Ok(Reply { pending: Some(pending), ..Reply::default() })
    }

    fn ask_turns(
        &mut self,
        step: &mut Step,
        bond: &Bond,
        session: &Session,
        proposal_id: &str,
        max_turns: u32,
    ) -> Result<String, Failure> {
        let shown = vec![
            Shown::own("peer", format!("{}, key ending in {}", bond.petname, tail(&bond.peer))),
            Shown {
                label: "goal".to_owned(),
                text: session.terms.goal.clone(),
                from_peer: session.opened_by == Side::Peer,
            },
            Shown::own("turns used", session.turns.to_string()),
            Shown::own("turns allowed now", session.max_turns.to_string()),
            Shown::own("turns allowed then", max_turns.to_string()),
        ];
        let subject = Subject::Extend {
            bond: bond.id.clone(),
            thread: session.thread.clone(),
            proposal_id: proposal_id.to_owned(),
        };
        let question = format!("Allow {max_turns} turns with {} instead of {}?", bond.petname, session.max_turns);
        self.ask(step, subject, question, shown, session.deadline())
    }

    pub(super) fn decide_extension(
        &mut self,
        step: &mut Step,
        bond_id: &str,
        thread: &str,
        proposal_id: &str,
        decision: Decision,
        reason: Option<String>,
    ) -> Result<(), Failure> {
        let session = self.state.sessions.get_mut(&session_key(bond_id, thread)).ok_or(Refusal::SessionNotFound)?;
        let Some(extension) = session.extension.clone().filter(|e| e.proposal_id == proposal_id) else {
            return Err(Refusal::PendingNotFound.into());
        };
        let proposal = BudgetProposal {
            thread: thread.to_owned(),
            proposal_id: proposal_id.to_owned(),
            new_max_turns: extension.new_max_turns,
        };
        let message = match (extension.by, decision) {
            (Side::Me, Decision::Approve) => {
                session.extension = Some(Extension { sent: true, ..extension });
                Message::BudgetPropose(proposal)
            }
            (Side::Me, Decision::Reject) => {
                session.extension = None;
                return Ok(());
            }
            (Side::Peer, Decision::Approve) => {
                session.extend(proposal_id, extension.new_max_turns, Side::Peer).map_err(Refusal::from)?;
                Message::BudgetApproved(proposal)
            }
            (Side::Peer, Decision::Reject) => {
                session.extension = None;
                let BudgetProposal { thread, proposal_id, new_max_turns } = proposal;
                let reason = Some(reason.unwrap_or_else(|| "rejected".to_owned()));
                Message::BudgetReject(BudgetReject { thread, proposal_id, new_max_turns, reason })
            }
        };
        self.enqueue(step, bond_id, &message, thread, None)?;
        Ok(self.emit_session(step, bond_id, thread, "extended")?)
    }

    /// The peer's human proposes more turns. Of two crossing proposals the initiator's stands.
    pub(super) fn on_budget_propose(
        &mut self,
        step: &mut Step,
        bond: &Bond,
        thread: &str,
        proposal: BudgetProposal,
    ) -> Dispatched {
        let Some(session) = self.state.sessions.get_mut(&session_key(&bond.id, thread)) else {
            return Ok(Err(Reject::SessionNotFound));
        };
        if let Err(reject) = session.check_extension(proposal.new_max_turns) {
            return Ok(Err(reject));
        }
        let own = session.extension.take_if(|e| e.by == Side::Me);
        if let Some(own) = own {
            if own.sent && session.opened_by == Side::Me {
                session.extension = Some(own);
                let BudgetProposal { thread: t, proposal_id, new_max_turns } = proposal;
                let reason = Some("superseded".to_owned());
                let answer = Message::BudgetReject(BudgetReject { thread: t, proposal_id, new_max_turns, reason });
                self.enqueue(step, &bond.id, &answer, thread, None)?;
                return Ok(Ok(()));
            }
            let key = own.proposal_id;
            self.withdraw_pendings(
                step,
                |subject| matches!(subject, Subject::Extend { proposal_id, .. } if *proposal_id == key),
            )?;
        }
        let session = self.state.sessions.get_mut(&session_key(&bond.id, thread)).ok_or(Bug::Invariant)?;
        let BudgetProposal { proposal_id, new_max_turns, .. } = proposal;
        session.extension =
            Some(Extension { proposal_id: proposal_id.clone(), new_max_turns, by: Side::Peer, sent: false });
        let session = session.clone();
        self.ask_turns(step, bond, &session, &proposal_id, new_max_turns)?;
        Ok(Ok(()))
    }

    pub(super) fn on_budget_approved(
        &mut self,
        step: &mut Step,
        bond: &Bond,
        thread: &str,
        proposal: &BudgetProposal,
    ) -> Dispatched {
        let Some(session) = self.state.sessions.get_mut(&session_key(&bond.id, thread)) else {
            return Ok(Err(Reject::SessionNotFound));
        };
        if let Err(reject) = session.extend(&proposal.proposal_id, proposal.new_max_turns, Side::Me) {
            return Ok(Err(reject));
        }
        self.emit_session(step, &bond.id, thread, "extended")?;
        Ok(Ok(()))
    }

    pub(super) fn on_budget_reject(
        &mut self,
        step: &mut Step,
        bond: &Bond,
        thread: &str,
        proposal: &BudgetReject,
    ) -> Dispatched {
        let Some(session) = self.state.sessions.get_mut(&session_key(&bond.id, thread)) else {
            return Ok(Err(Reject::SessionNotFound));
        };
        session.extension.take_if(|e| e.proposal_id == proposal.proposal_id && e.by == Side::Me);
        self.emit_session(step, &bond.id, thread, "extension_rejected")?;
        Ok(Ok(()))
    }
}
