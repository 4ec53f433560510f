//! What happens by itself, and when the engine wants to be woken for it.

use super::Engine;
use super::effect::Effect;
use super::pairing::pairing_grace;
use super::step::Step;
use crate::bond::BondStatus;
use crate::error::Failure;
use crate::limits::{DAY_MS, HOUR_MS, INVITE_MS, MINUTE_MS};

/// How often what is only old is cleared away.
const SWEEP_MS: u64 = 10 * MINUTE_MS;

/// A clock that goes back by less is one that is kept right.
const SET_BACK_MS: u64 = MINUTE_MS;

impl Engine {
    /// After the clock was set back, and at the start of a process, nothing may wait for an instant that the wrong clock
    /// meant.
    fn note_time(&mut self, now: u64) {
        let before = std::mem::replace(&mut self.last_now, now);
        if before <= now + SET_BACK_MS {
            return;
        }
        self.swept_at = 0;
        self.network.retries.clear();
        self.network.links.values_mut().for_each(|link| link.clock_set_back(now));
        let invite_end = now + INVITE_MS;
        self.state.pairings.update(|p| p.expires_at > invite_end, |p| p.expires_at = invite_end);
        self.state.acks.update(|due| due.send_at > now, |due| due.send_at = now);
        self.state.bonds.update(|bond| bond.created_at > now, |bond| bond.created_at = now);
        self.state.bonds.update(|bond| bond.peer_seen_at > now, |bond| bond.peer_seen_at = now);
        self.state.bonds.update(|bond| bond.registration.pushed_at > now, |bond| bond.registration.pushed_at = now);
        self.state.outbox.update(|row| row.relayed_at > Some(now), |row| row.relayed_at = Some(now));
        self.state.outbox.update(|row| row.alive_at > Some(now), |row| row.alive_at = Some(now));
    }

    /// Everything whose time has come.
    pub(super) fn run_timers(&mut self, step: &mut Step) -> Result<(), Failure> {
        self.note_time(step.now);
        self.tend_pairings(step)?;
        self.tend_pendings(step);
        self.tend_sessions(step)?;
        self.tend_bonds(step)?;
        self.tend_outbox(step)?;
        self.tend_parked(step)?;
        self.flush_acks(step)?;
        if self.swept_at + SWEEP_MS <= step.now {
            self.swept_at = step.now;
            self.forget_mids(step.now);
            self.reread();
            self.network.retries.retain(|_, retry| retry.not_before.saturating_add(SWEEP_MS) > step.now);
        }
        Ok(())
    }

    /// Asks for the next tick. In an hour at the latest.
    pub(super) fn set_wake(&self, step: &mut Step) {
        let now = step.now;
        let pairings =
            self.state.pairings.values().filter(|p| p.outcome.is_none()).map(|p| p.expires_at + pairing_grace(p.stage));
        let pendings = self.state.pendings.values().map(|item| item.expires_at);
        let sessions = self.state.sessions.values().filter_map(|session| Some(session.expiry()?.0));
        let bonds = self
            .state
            .bonds
            .values()
            .filter(|bond| bond.status == BondStatus::Pending)
            .map(|bond| bond.created_at + DAY_MS);
        let outbox = self.state.outbox.values().map(|row| row.expires_at);
        let parked = self.state.parked.values().map(|parked| parked.expires_at);
        let acks = self.state.acks.values().map(|due| due.send_at);
        let retries = self.network.retries.values().map(|retry| retry.not_before);
        let links = self.network.links.values().filter_map(super::links::Link::wake);
        let at = pairings
            .chain(pendings)
            .chain(sessions)
            .chain(bonds)
            .chain(outbox)
            .chain(parked)
            .chain(acks)
            .chain(retries)
            .chain(links)
            .filter(|at| *at > now)
            .min()
            .unwrap_or(u64::MAX)
            .min(now + HOUR_MS);
        step.effect(Effect::WakeAt { at });
    }
}
