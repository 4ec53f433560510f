//! After a backup was restored: what was done since is unknown here, and nothing of it may be done twice.

use super::Engine;
use super::outbox::BOND_THREAD;
use super::pairing::Stage;
use super::step::Step;
use crate::bond::Bond;
use crate::envelope::Profile;
use crate::error::{Bug, Failure};
use crate::message::{Close, Message};
use crate::negotiation::Side;

/// How far sequence numbers jump: far enough to pass what was sent since the backup. Where it is not, the peer says
/// `stale_seq`, and they jump again.
pub(super) const SEQ_JUMP: u64 = 1 << 20;

impl Engine {
    /// Jumps all counters, gives up pairings, ends open sessions, registers anew, and tells the peers.
    pub(super) fn after_restore(&mut self, step: &mut Step) -> Result<(), Failure> {
        step.audit(&mut self.state, "restored", None, &[])?;
        for key in self.state.threads.keys_under("") {
            let thread = self.state.threads.get_mut(&key).ok_or(Bug::Invariant)?;
            thread.sealed += SEQ_JUMP;
        }
        // The secrets of a pairing are good for one guess, and that may have been made.
        let pairings: Vec<(String, Stage)> =
            self.state.pairings.values().filter(|p| !p.is_over()).map(|p| (p.id.clone(), p.stage)).collect();
        for (id, stage) in pairings {
            match stage {
                Stage::Registering | Stage::Concluding => self.end_pairing(step, &id, "withdrawn", None)?,
                _ => self.cancel_pairing(step, &id)?,
            }
        }
        let open: Vec<(String, String)> = self
            .state
            .sessions
            .values()
            .filter(|session| !session.is_over())
            .map(|session| (session.bond.clone(), session.thread.clone()))
            .collect();
        for (bond, thread) in open {
            if self.state.bonds.get(&bond).is_some_and(Bond::is_usable) {
                let close = Message::Close(Close { reason: Some("restored".to_owned()) });
                self.enqueue(step, &bond, &close, &thread, None)?;
            }
            self.close_thread(&bond, &thread);
            self.end_session(step, &bond, &thread, "restored", None, Side::Me)?;
        }
        let bonds: Vec<Bond> = self.state.bonds.values().filter(|bond| !bond.is_over()).cloned().collect();
        for bond in bonds {
            self.renew_registration(&bond.id, step.now);
            if bond.speaks(Profile::Bond) {
                let mut hello = self.hello(&bond.id)?;
                hello.restored_at = Some(step.now_s());
                self.enqueue(step, &bond.id, &Message::Hello(Box::new(hello)), BOND_THREAD, None)?;
            }
        }
        Ok(())
    }
}
