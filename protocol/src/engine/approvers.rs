//! The owner's PIN: what it unlocks, and what peers are told of it.

use rand_core::CryptoRng;

use super::Engine;
use super::commands::misuse;
use super::input::Command;
use super::outbox::BOND_THREAD;
use super::state::HOST;
use super::step::Step;
use crate::bond::Bond;
use crate::envelope::{Kind, Profile};
use crate::error::{Bug, Failure, Refusal, Reject};
use crate::gate::{Approval, Approver, Decision, Handover, PIN_CHARS, PendingItem, Subject};
use crate::identity::{AgentId, Keypair};
use crate::message::{ApproverWord, Message};
use crate::negotiation::Phase;
use crate::secret::Secret;

impl Engine {
    /// The command that sets, changes or removes the PIN. Slow, on purpose: do it outside of a transaction.
    ///
    /// # Errors
    /// `invalid_argument` for a PIN that is too short, `pin_required`, `invalid_pin`.
    pub fn approver_command(
        &self,
        pin: Option<&str>,
        current: Option<&str>,
        rng: &mut impl CryptoRng,
    ) -> Result<Command, Failure> {
        if pin.is_some_and(|pin| pin.chars().count() < PIN_CHARS) {
            return Err(misuse("the PIN", "at least 8 characters long"));
        }
        let host = self.state.host.get(HOST).ok_or(Bug::Invariant)?;
        let before = match &host.approver {
            None => None,
            Some(approver) => {
                let key = approver.unlock(current.ok_or(Refusal::PinRequired)?).ok_or(Refusal::InvalidPin)?;
                Some(Keypair::from_secret(&key))
            }
        };
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);
        let memory = |_| Failure::Refused(Refusal::NotNow, "64 MiB of memory cannot be had".to_owned());
        let approver = pin.map(|pin| Approver::seal(&Secret::new(seed), pin, rng)).transpose().map_err(memory)?;
        let proof = before.map(|before| {
            let to = approver.as_ref().map(|approver| &approver.id);
            Handover { from: before.agent_id(), version: host.approver_version + 1, to }.sign(&before)
        });
        Ok(Command::Approver { approver, proof })
    }

    /// Puts another approver in place of the one before, and tells the peers.
    pub(super) fn set_approver(
        &mut self,
        step: &mut Step,
        approver: Option<Approver>,
        proof: Option<String>,
    ) -> Result<(), Failure> {
        // Peers take what they get in order: this one would come too late.
        if self.state.outbox.values().any(|row| row.kind == Kind::NegoRatified.name() && row.relayed_at.is_none()) {
            return Err(Failure::Refused(
                Refusal::NotNow,
                "a ratification is still on its way to the relay".to_owned(),
            ));
        }
        let host = self.state.host.get_mut(HOST).ok_or(Bug::Invariant)?;
        let version = host.approver_version + 1;
        let to = approver.as_ref().map(|approver| &approver.id);
        if let Some(before) = &host.approver {
            let handover = Handover { from: &before.id, version, to };
            let proof = proof.as_deref().ok_or(Refusal::PinRequired)?;
            if !handover.holds(proof) {
                return Err(Refusal::InvalidPin.into());
            }
        } else if approver.is_none() {
            return Ok(());
        }
        let id = to.map_or_else(String::new, |id| id.as_str().to_owned());
        host.approver = approver;
        host.approver_version = version;
        host.approver_proof = proof;
        step.audit(&mut self.state, "approver_changed", None, &[("approver", &id)])?;
        let told = |bond: &&Bond| bond.speaks(Profile::Bond) && !bond.is_over();
        let bonds: Vec<String> = self.state.bonds.values().filter(told).map(|bond| bond.id.clone()).collect();
        for bond in bonds {
            let hello = self.hello(&bond)?;
            self.enqueue(step, &bond, &Message::Hello(Box::new(hello)), BOND_THREAD, None)?;
        }
        Ok(())
    }

    /// What peers are told of this owner's approver: nothing if there never was one.
    pub(super) fn approver_word(&self) -> Option<ApproverWord> {
        let host = self.state.host.get(HOST).filter(|host| host.approver_version > 0)?;
        Some(ApproverWord {
            agent_id: host.approver.as_ref().map(|approver| approver.id.as_str().to_owned()),
            version: host.approver_version,
            sig: host.approver_proof.clone(),
        })
    }

    /// A peer says who approves for it. Only its approver before can give way to another one.
    pub(super) fn on_approver(
        &mut self,
        step: &mut Step,
        bond: &Bond,
        word: &ApproverWord,
    ) -> Result<Result<(), Reject>, Failure> {
        if word.version <= bond.peer_approver_version {
            return Ok(Ok(()));
        }
        let Ok(to) = word.agent_id.as_deref().map(AgentId::parse).transpose() else {
            return Ok(Err(Reject::InvalidPayload));
        };
        if let Some(from) = &bond.peer_approver {
            let handover = Handover { from, version: word.version, to: to.as_ref() };
            if !word.sig.as_deref().is_some_and(|sig| handover.holds(sig)) {
                return Ok(Err(Reject::InvalidSignature));
            }
        }
        let id = to.as_ref().map_or_else(String::new, |id| id.as_str().to_owned());
        let stored = self.state.bonds.get_mut(&bond.id).ok_or(Bug::Invariant)?;
        stored.peer_approver = to;
        stored.peer_approver_version = word.version;
        step.audit(&mut self.state, "peer_approver_changed", Some(&bond.id), &[("approver", &id)])?;
        Ok(Ok(()))
    }

    /// The approver's signature over what a typed code stands for; `None` if code or PIN is wrong, or there is no PIN.
    /// Slow, on purpose: do it outside of a transaction.
    #[must_use]
    pub fn prove(&self, pending: &str, code: &str, pin: &str) -> Option<String> {
        let item = self.state.pendings.get(pending)?;
        let decision = item.judge(&self.approval_key().ok()?, code)?;
        let key = self.state.host.get(HOST)?.approver.as_ref()?.unlock(pin)?;
        Some(
            self.approval_of(item, decision, &self.agreement_at_stake(&item.subject)).sign(&Keypair::from_secret(&key)),
        )
    }

    /// Whether the decision needs no approver, or has its signature.
    pub(super) fn is_approved(
        &self,
        item: &PendingItem,
        decision: Decision,
        proof: Option<&str>,
    ) -> Result<bool, Failure> {
        let Some(approver) = &self.state.host.get(HOST).ok_or(Bug::Invariant)?.approver else {
            return Ok(true);
        };
        let proof = proof.ok_or(Refusal::PinRequired)?;
        Ok(self.approval_of(item, decision, &self.agreement_at_stake(&item.subject)).holds(&approver.id, proof))
    }

    fn approval_of<'a>(&self, item: &'a PendingItem, decision: Decision, agreement: &'a str) -> Approval<'a> {
        Approval { pending: &item.id, decision, digest: &item.digest, agreement }
    }

    /// The agreement that a ratification is about; empty for all else.
    fn agreement_at_stake(&self, subject: &Subject) -> String {
        let Subject::Ratify { bond, thread } = subject else {
            return String::new();
        };
        match self.state.sessions.get(&super::sessions::session_key(bond, thread)).map(|session| &session.phase) {
            Some(Phase::Signed(signed)) => signed.agreement.clone(),
            _ => String::new(),
        }
    }
}
