//! The end of a bond: one step, one-sided, at once.

use super::Engine;
use super::dispatch::Dispatched;
use super::feed::Event;
use super::outbox::BOND_THREAD;
use super::sessions::session_key;
use super::step::Step;
use crate::bond::{Bond, BondStatus, Farewell};
use crate::envelope::{Kind, Profile};
use crate::error::{Bug, Failure};
use crate::limits::DAY_MS;
use crate::message::{Message, Revoked};
use crate::negotiation::{Phase, Side};

/// After this long the keys are erased even if the relay could not be reached.
const FAREWELL_MS: u64 = 30 * DAY_MS;
/// For this long the peer's inbox is tried.
const LAST_WORD_MS: u64 = 7 * DAY_MS;

impl Engine {
    /// Revokes a bond. What the relay has to learn is stored in the same step.
    pub(super) fn revoke(&mut self, step: &mut Step, id: &str, reason: Option<String>) -> Result<(), Failure> {
        self.leave(step, id, BondStatus::Revoked, reason)
    }

    /// Ends a bond from this side, and says so to the peer.
    pub(super) fn leave(
        &mut self,
        step: &mut Step,
        id: &str,
        status: BondStatus,
        reason: Option<String>,
    ) -> Result<(), Failure> {
        let bond = self.state.bonds.get(id).ok_or(Bug::Invariant)?;
        if bond.is_over() {
            return Ok(());
        }
        let says_so = bond.speaks(Profile::Bond);
        self.end_bond(step, id, status, reason.clone())?;
        if says_so {
            self.enqueue(step, id, &Message::Revoked(Revoked { reason }), BOND_THREAD, Some(LAST_WORD_MS))?;
        }
        Ok(())
    }

    pub(super) fn on_revoked(&mut self, step: &mut Step, bond: &Bond, reason: Option<String>) -> Dispatched {
        if !bond.is_over() {
            self.end_bond(step, &bond.id, BondStatus::RevokedByPeer, reason)?;
        }
        Ok(Ok(()))
    }

    /// Ends a bond: sessions closed, pending items void, outbox dropped but for ratifications of what is agreed, and an
    /// empty allowlist signed for the relay.
    pub(super) fn end_bond(
        &mut self,
        step: &mut Step,
        id: &str,
        status: BondStatus,
        reason: Option<String>,
    ) -> Result<(), Failure> {
        let by = if status == BondStatus::RevokedByPeer { Side::Peer } else { Side::Me };
        let bond = self.state.bonds.get_mut(id).ok_or(Bug::Invariant)?;
        bond.status = status;
        bond.farewell = Some(Farewell { at: step.now, reason: reason.clone(), is_erased: false });
        for key in self.state.sessions.keys_under(&format!("{id}/")) {
            if let Some(thread) = self.state.sessions.get(&key).map(|session| session.thread.clone()) {
                self.end_session(step, id, &thread, "bond_revoked", None, by)?;
            }
        }
        for key in self.state.outbox.keys_under(&format!("{id}/")) {
            let is_ratification = self.state.outbox.get(&key).is_some_and(|row| {
                let session = self.state.sessions.get(&session_key(id, &row.thread));
                row.kind == Kind::NegoRatified.name() && session.is_some_and(|s| matches!(s.phase, Phase::Agreed(_)))
            });
            let is_relayed = self.state.outbox.get(&key).is_some_and(|row| row.relayed_at.is_some());
            if is_ratification && is_relayed {
                // Nobody reads the peer's acknowledgement any more.
                self.state.outbox.remove(&key);
            } else if !is_ratification {
                self.finish(step, &key, "refused", Some("bond_revoked"))?;
            }
        }
        self.state.acks.remove(id);
        for key in self.state.parked.keys_under(&format!("{id}/")) {
            self.state.parked.remove(&key);
        }
        self.withdraw_pendings(step, |subject| subject.bond() == Some(id))?;
        self.renew_registration(id, step.now);
        step.audit(&mut self.state, "bond_ended", Some(id), &[("reason", reason.as_deref().unwrap_or_default())])?;
        Ok(step.emit(&mut self.state, Event::BondChanged { bond: id.to_owned(), status, reason })?)
    }

    /// Erases the keys of a bond that is over, once the relay has its empty allowlist. Its last words are sealed: they need
    /// no key any more, and are posted until the peer's inbox takes them.
    pub(super) fn erase_if_done(&mut self, step: &mut Step, id: &str) -> Result<(), Failure> {
        let Some(bond) = self.state.bonds.get(id) else {
            return Ok(());
        };
        let is_erased = bond.farewell.as_ref().is_some_and(|farewell| farewell.is_erased);
        if !bond.is_over() || !bond.registration.is_pushed || is_erased {
            return Ok(());
        }
        self.erase_bond(step, id)
    }

    fn erase_bond(&mut self, step: &mut Step, id: &str) -> Result<(), Failure> {
        self.erase_keys(id);
        let prefix = format!("{id}/");
        for key in self.state.nonces.keys_under(&prefix) {
            self.state.nonces.remove(&key);
        }
        for key in self.state.mids.keys_under(&prefix) {
            self.state.mids.remove(&key);
        }
        self.state.inboxes.remove(id);
        if let Some(farewell) = self.state.bonds.get_mut(id).and_then(|bond| bond.farewell.as_mut()) {
            farewell.is_erased = true;
        }
        Ok(step.audit(&mut self.state, "bond_keys_erased", Some(id), &[])?)
    }

    pub(super) fn tend_farewells(&mut self, step: &mut Step) -> Result<(), Failure> {
        let overdue =
            |bond: &&Bond| bond.farewell.as_ref().is_some_and(|f| !f.is_erased && f.at + FAREWELL_MS <= step.now);
        let ids: Vec<String> = self.state.bonds.values().filter(overdue).map(|bond| bond.id.clone()).collect();
        for id in ids {
            for key in self.state.outbox.keys_under(&format!("{id}/")) {
                self.finish(step, &key, "expired", None)?;
            }
            self.erase_bond(step, &id)?;
        }
        Ok(())
    }
}
