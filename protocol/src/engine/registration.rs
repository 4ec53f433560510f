//! Registering a bond's inbox: its allowlist, pushed when it changes, at the start of each process, and daily.

use super::Engine;
use super::calls::{Answer, Outcome, Request};
use super::network::Task;
use super::step::Step;
use crate::bond::Bond;
use crate::bond::allowlist::Allowlist;
use crate::error::Failure;
use crate::limits::DAY_MS;

/// How far a version jumps where the clock is behind: far enough to pass, in a few tries, what a clock that ran ahead
/// left at the relay.
const VERSION_STEP: u64 = 1_000;

impl Engine {
    /// Signs a new version of a bond's allowlist, to be pushed.
    pub(super) fn renew_registration(&mut self, bond: &str, now: u64) {
        if let Some(bond) = self.state.bonds.get_mut(bond) {
            bond.registration.version = now.max(bond.registration.version + VERSION_STEP);
            bond.registration.is_pushed = false;
        }
    }

    pub(super) fn wanted_registrations(&self, now: u64) -> Vec<Task> {
        let is_due = |bond: &&Bond| {
            let registration = &bond.registration;
            let is_new_here = !bond.is_over() && !self.network.registered.contains(&bond.id);
            let is_old = !bond.is_over() && registration.pushed_at + DAY_MS <= now;
            registration.version > 0
                && self.state.seeds.contains(&bond.id)
                && (!registration.is_pushed || is_new_here || is_old)
        };
        self.state
            .bonds
            .values()
            .filter(is_due)
            .map(|bond| Task::Register(bond.id.clone(), bond.registration.version))
            .collect()
    }

    pub(super) fn register_request(&mut self, id: &str) -> Option<Request> {
        let keys = self.bond_keys(id)?;
        let bond = self.state.bonds.get(id)?;
        let allowed: &[_] = if bond.is_over() { &[] } else { &[&bond.peer] };
        let body = Allowlist::sign(&keys.own, allowed, bond.registration.version);
        Some(Request::new(&bond.relay, "PUT", format!("/allowlist/{}", bond.own)).json(body))
    }

    pub(super) fn on_registered(
        &mut self,
        step: &mut Step,
        id: &str,
        version: u64,
        answer: &Answer,
    ) -> Result<Outcome, Failure> {
        match answer.status {
            204 => {
                let is_current = |bond: &&mut Bond| bond.registration.version == version;
                if let Some(bond) = self.state.bonds.get_mut(id).filter(is_current) {
                    bond.registration.is_pushed = true;
                    bond.registration.pushed_at = step.now;
                }
                self.network.registered.insert(id.to_owned());
                self.registration_reached_relay(step, id)?;
                Ok(Outcome::Done)
            }
            // Another process, or an older life of this one, pushed a higher version.
            409 => {
                self.renew_registration(id, step.now);
                Ok(Outcome::Failed(answer.code()))
            }
            _ => Ok(Outcome::Failed(answer.code())),
        }
    }
}
