//! Acknowledgements: collected for two seconds, sent at once where the peer waits for them.

use super::Engine;
use super::outbox::ACK_THREAD;
use super::state::{AckDue, HOST};
use super::step::Step;
use crate::envelope::{Kind, Profile};
use crate::error::{Failure, Refusal};
use crate::limits::{ACK_IDS, DAY_MS, SECOND_MS};
use crate::message::{Ack, Message, RefusedId};

const DELAY_MS: u64 = 2 * SECOND_MS;
const ENOUGH: usize = 32;

impl Engine {
    /// Notes that an envelope of the peer was processed, or refused with a code.
    pub(super) fn owe_ack(
        &mut self,
        step: &Step,
        bond: &str,
        kind: Option<Kind>,
        (id, seq): (&str, u64),
        refused: Option<&str>,
    ) {
        let speaks = self.state.bonds.get(bond).is_some_and(|b| b.speaks(Profile::Bond) && !b.is_over());
        if !speaks || matches!(kind, Some(Kind::CoreAck | Kind::BondRevoked)) {
            return;
        }
        let mut due = self.state.acks.get(bond).cloned().unwrap_or_default();
        if due.send_at == 0 {
            due.send_at = step.now + DELAY_MS;
        }
        match refused {
            None => due.acked.push(id.to_owned()),
            Some(code) => due.refused.push(RefusedId { id: id.to_owned(), code: code.to_owned() }),
        }
        due.seq = due.seq.max(seq);
        // One unacknowledged envelope is out on a negotiation thread: the peer waits for this.
        let is_awaited = kind.is_some_and(|kind| kind.is_negotiation() || kind == Kind::BondHello);
        if is_awaited || due.acked.len() + due.refused.len() >= ENOUGH {
            due.send_at = step.now;
        }
        self.state.acks.put(bond, due);
    }

    /// Sends what is due.
    pub(super) fn flush_acks(&mut self, step: &mut Step) -> Result<(), Failure> {
        let due: Vec<String> =
            self.state.acks.iter().filter(|(_, due)| due.send_at <= step.now).map(|(bond, _)| bond.clone()).collect();
        for bond in due {
            let Some(AckDue { mut acked, mut refused, seq, send_at }) = self.state.acks.remove(&bond) else {
                continue;
            };
            let later_acked = acked.split_off(acked.len().min(ACK_IDS));
            let later_refused = refused.split_off(refused.len().min(ACK_IDS));
            if !later_acked.is_empty() || !later_refused.is_empty() {
                self.state.acks.put(&*bond, AckDue { acked: later_acked, refused: later_refused, seq, send_at });
            }
            let looked_at = self.state.host.get(HOST).map(|host| host.looked_at / 1_000).filter(|at| *at > 0);
            let message = Message::Ack(Ack { ack_seq: seq.into(), acked, refused, looked_at });
            match self.enqueue(step, &bond, &message, ACK_THREAD, Some(DAY_MS)) {
                Ok(_) => {}
                // The bond ended meanwhile: nobody waits for an acknowledgement.
                Err(Failure::Refused(Refusal::BondNotActive, _)) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    /// What the peer says of our envelopes.
    pub(super) fn on_ack(&mut self, step: &mut Step, bond: &str, ack: &Ack) -> Result<(), Failure> {
        for id in &ack.acked {
            self.on_verdict(step, bond, id, None)?;
        }
        for RefusedId { id, code } in &ack.refused {
            let is_code = code.len() <= 64 && code.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
            self.on_verdict(step, bond, id, Some(if is_code { code } else { "refused" }))?;
        }
        if let Some(looked_at) = ack.looked_at
            && let Some(stored) = self.state.bonds.get_mut(bond)
        {
            let looked_at = looked_at.saturating_mul(1_000).min(step.now);
            stored.peer_looked_at = stored.peer_looked_at.max(Some(looked_at));
        }
        Ok(())
    }
}
