//! Attention: what the owner's agent has taken note of, what peers are told of that, and the brake on agents that
//! write without end.

use super::Engine;
use super::gates::tail;
use super::state::HOST;
use super::step::Step;
use crate::bond::Bond;
use crate::envelope::Profile;
use crate::error::{Bug, Failure, Refusal};
use crate::gate::{Decision, Shown, Subject};
use crate::limits::{DAY_MS, SECOND_MS};

/// Looks that come together are told together.
const LOOK_DELAY_MS: u64 = 2 * SECOND_MS;

impl Engine {
    /// The owner's agent took note of the feed up to an entry. Peers whose words were in it are told when.
    pub(super) fn mark_read(&mut self, step: &Step, up_to: u64) -> Result<(), Failure> {
        let host = self.state.host.get_mut(HOST).ok_or(Bug::Invariant)?;
        if up_to <= host.read {
            return Ok(());
        }
        host.read = up_to.min(host.feed);
        host.looked_at = step.now;
        let unseen = |bond: &&Bond| bond.has_news && bond.speaks(Profile::Bond) && !bond.is_over();
        let bonds: Vec<String> = self.state.bonds.values().filter(unseen).map(|bond| bond.id.clone()).collect();
        for id in bonds {
            self.state.bonds.get_mut(&id).ok_or(Bug::Invariant)?.has_news = false;
            let mut due = self.state.acks.get(&id).cloned().unwrap_or_default();
            if due.send_at == 0 {
                due.send_at = step.now + LOOK_DELAY_MS;
            }
            self.state.acks.put(&*id, due);
        }
        Ok(())
    }

    /// Stops an agent that writes without end, and asks the human whether it shall go on.
    pub(super) fn brake(&mut self, step: &mut Step, bond: &str, why: &str) -> Result<String, Failure> {
        let bond = self.find_bond(bond)?.clone();
        if !bond.is_usable() {
            return Err(Refusal::BondNotActive.into());
        }
        self.state.bonds.get_mut(&bond.id).ok_or(Bug::Invariant)?.is_braked = true;
        let shown = vec![
            Shown::own("peer", format!("{}, key ending in {}", bond.petname, tail(&bond.peer))),
            Shown::own("why it was stopped", why),
            Shown::own("messages since you last decided something", bond.unattended.to_string()),
        ];
        let question = format!("Let your agent go on writing to {}?", bond.petname);
        self.ask(step, Subject::Continue { bond: bond.id }, question, shown, step.now + DAY_MS)
    }

    pub(super) fn decide_continue(&mut self, id: &str, decision: Decision) -> Result<(), Failure> {
        let bond = self.state.bonds.get_mut(id).ok_or(Bug::Invariant)?;
        if decision == Decision::Approve {
            bond.is_braked = false;
        }
        Ok(())
    }
}
