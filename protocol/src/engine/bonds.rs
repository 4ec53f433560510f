//! The beginning of a bond: the record, the first word, activity.

use super::Engine;
use super::dispatch::Dispatched;
use super::feed::Event;
use super::outbox::BOND_THREAD;
use super::pairing::Stage;
use super::state::{HOST, Seed};
use super::step::Step;
use crate::base64url;
use crate::bond::{Bond, BondStatus, Registration};
use crate::envelope::Profile;
use crate::error::{Bug, Failure, Refusal, Reject};
use crate::identity::{AgentId, Domain, Transcript};
use crate::limits::DAY_MS;
use crate::message::{Hello, Message, RootVoucher};
use crate::pairing::code::Form;
use crate::safety::keys_digest;

/// Longest label of a peer that is kept.
const LABEL_CHARS: usize = 64;

impl Engine {
    /// Makes the bond of a completed pairing: its inbox is registered and its first word sealed in this step.
    pub(super) fn new_bond(&mut self, step: &mut Step, pairing_id: &str) -> Result<String, Failure> {
        let pairing = self.state.pairings.get(pairing_id).cloned().ok_or(Bug::Invariant)?;
        let identity = self.state.pairing_secrets.get(pairing_id).ok_or(Bug::Invariant)?.identity.clone();
        let profiles = pairing.contract().ok_or(Bug::Invariant)?;
        let peer = pairing.peer.ok_or(Bug::Invariant)?.id;
        let id = step.id();
        let petname = self.free_petname(pairing.petname.as_deref(), &peer);
        let bond = Bond {
            id: id.clone(),
            peer,
            own: pairing.own,
            role: pairing.role,
            scope: pairing.scope,
            mode: pairing.mode,
            profiles,
            petname,
            peer_label: None,
            peer_host: None,
            peer_root: None,
            status: BondStatus::Pending,
            must_verify: pairing.form == Form::Digits,
            verification: None,
            relay: pairing.relay,
            registration: Registration::default(),
            created_at: step.now,
            peer_seen_at: step.now,
            farewell: None,
            unattended: 0,
            is_braked: false,
            has_news: false,
            peer_looked_at: None,
            peer_approver: None,
            peer_approver_version: 0,
        };
        let has_hello = bond.speaks(Profile::Bond);
        let facts = [("peer", bond.peer.as_str()), ("pairing", pairing_id)];
        step.audit(&mut self.state, "bond_made", Some(&id), &facts)?;
        self.state.seeds.put(&*id, Seed(identity));
        self.state.bonds.put(&*id, bond);
        self.renew_registration(&id, step.now);
        if let Some(pairing) = self.state.pairings.get_mut(pairing_id) {
            pairing.bond = Some(id.clone());
        }
        let event = Event::BondChanged { bond: id.clone(), status: BondStatus::Pending, reason: None };
        step.emit(&mut self.state, event)?;
        if has_hello {
            let hello = self.hello(&id)?;
            self.enqueue(step, &id, &Message::Hello(Box::new(hello)), BOND_THREAD, None)?;
        }
        Ok(id)
    }

    /// A petname that no other bond has: the wanted one, or one made of the id, with a number if need be.
    pub(super) fn free_petname(&self, wanted: Option<&str>, peer: &AgentId) -> String {
        let tail: String = peer.as_str().chars().rev().take(6).collect::<Vec<_>>().into_iter().rev().collect();
        let base = wanted.map_or_else(|| format!("peer-{tail}"), str::to_owned);
        let is_taken = |name: &str| self.state.bonds.values().any(|bond| !bond.is_over() && bond.petname == name);
        if !is_taken(&base) {
            return base;
        }
        (2_u32..).map(|n| format!("{base}-{n}")).find(|name| !is_taken(name)).unwrap_or(base)
    }

    pub(super) fn hello(&self, id: &str) -> Result<Hello, Bug> {
        let root = self.root()?;
        let label = self.state.host.get(HOST).ok_or(Bug::Invariant)?.label.clone();
        let bond = self.state.bonds.get(id).ok_or(Bug::Invariant)?;
        let voucher = root.sign_in(Domain::Root, &Transcript::new().raw(bond.own.public_key()));
        Ok(Hello {
            label,
            software: concat!("agentpair/", env!("CARGO_PKG_VERSION")).to_owned(),
            profiles: bond.profiles.clone(),
            host: self.kind,
            keys: hex::encode(keys_digest(&bond.own, &bond.peer)),
            scope: bond.scope.clone(),
            mode: bond.mode.name().to_owned(),
            root: Some(RootVoucher { agent_id: root.agent_id().as_str().to_owned(), sig: base64url::encode(&voucher) }),
            approver: self.approver_word(),
            restored_at: None,
        })
    }

    /// Both sides said `bond_ok`. A peer without `bond/1` has no first word: the bond is active.
    pub(super) fn paired(&mut self, step: &mut Step, id: &str) -> Result<(), Failure> {
        let bond = self.state.bonds.get(id).ok_or(Bug::Invariant)?;
        if bond.speaks(Profile::Bond) { Ok(()) } else { self.activate(step, id) }
    }

    /// Opens a pending or held bond, unless it must be verified first.
    pub(super) fn activate(&mut self, step: &mut Step, id: &str) -> Result<(), Failure> {
        let bond = self.state.bonds.get_mut(id).ok_or(Bug::Invariant)?;
        if !matches!(bond.status, BondStatus::Pending | BondStatus::Held) {
            return Ok(());
        }
        let status =
            if bond.must_verify && bond.verification.is_none() { BondStatus::Held } else { BondStatus::Active };
        if bond.status == status {
            return Ok(());
        }
        let was_held = std::mem::replace(&mut bond.status, status) == BondStatus::Held;
        let speaks = bond.speaks(Profile::Bond);
        step.emit(&mut self.state, Event::BondChanged { bond: id.to_owned(), status, reason: None })?;
        if was_held && speaks {
            // The peer sends again what was refused meanwhile.
            let hello = self.hello(id)?;
            self.enqueue(step, id, &Message::Hello(Box::new(hello)), BOND_THREAD, None)?;
        }
        Ok(())
    }

    pub(super) fn on_hello(&mut self, step: &mut Step, bond: &Bond, hello: Hello) -> Dispatched {
        let expected = hex::encode(keys_digest(&bond.own, &bond.peer));
        if hello.keys != expected || hello.scope != bond.scope || hello.mode != bond.mode.name() {
            return Ok(Err(Reject::InvalidPayload));
        }
        let root = match &hello.root {
            None => None,
            Some(RootVoucher { agent_id, sig }) => {
                let holds = |root: &AgentId| {
                    let transcript = Transcript::new().raw(bond.peer.public_key());
                    base64url::decode(sig).is_ok_and(|sig| root.verify_in(Domain::Root, &transcript, &sig).is_ok())
                };
                match AgentId::parse(agent_id).ok().filter(holds) {
                    Some(root) => Some(root.as_str().to_owned()),
                    None => return Ok(Err(Reject::InvalidSignature)),
                }
            }
        };
        if let Some(word) = &hello.approver
            && let Err(reject) = self.on_approver(step, bond, word)?
        {
            return Ok(Err(reject));
        }
        if hello.restored_at.is_some() {
            step.emit(&mut self.state, Event::PeerRestored { bond: bond.id.clone() })?;
        }
        if let Some(stored) = self.state.bonds.get_mut(&bond.id) {
            stored.peer_label = hello.label.map(|label| label.chars().take(LABEL_CHARS).collect());
            stored.peer_host = Some(hello.host);
            stored.peer_root = root;
        }
        self.activate(step, &bond.id)?;
        self.release_held(step, &bond.id)?;
        Ok(Ok(()))
    }

    /// The peer's inbox does not take our envelopes. Only a verified `bond.revoked` revokes.
    pub(super) fn refused_by_recipient(&mut self, step: &mut Step, id: &str) -> Result<(), Bug> {
        let bond = self.state.bonds.get_mut(id).ok_or(Bug::Invariant)?;
        if bond.status != BondStatus::Active {
            return Ok(());
        }
        bond.status = BondStatus::Unreachable;
        let event = Event::BondChanged { bond: id.to_owned(), status: BondStatus::Unreachable, reason: None };
        step.emit(&mut self.state, event)
    }

    /// The relay has the newest allowlist of a bond.
    pub(super) fn registration_reached_relay(&mut self, step: &mut Step, bond: &str) -> Result<(), Failure> {
        let waiting = |p: &&super::pairing::Pairing| p.stage == Stage::Registering && p.bond.as_deref() == Some(bond);
        let pairing = self.state.pairings.values().find(waiting).map(|p| p.id.clone());
        if let Some(pairing) = pairing {
            self.post_bond_ok(&pairing, Stage::Concluding)?;
        }
        self.erase_if_done(step, bond)
    }

    /// A bond that is not whole after a day never will be.
    pub(super) fn tend_bonds(&mut self, step: &mut Step) -> Result<(), Failure> {
        let late: Vec<String> = self
            .state
            .bonds
            .values()
            .filter(|bond| bond.status == BondStatus::Pending && bond.created_at + DAY_MS <= step.now)
            .map(|bond| bond.id.clone())
            .collect();
        for id in late {
            // The other half may be whole: it is told.
            self.leave(step, &id, BondStatus::Failed, Some("bond_incomplete".to_owned()))?;
        }
        let unused: Vec<String> = self
            .state
            .bonds
            .values()
            .filter(|bond| {
                bond.mode == crate::bond::Mode::Ephemeral && !bond.is_over() && bond.created_at + DAY_MS <= step.now
            })
            .filter(|bond| self.state.sessions.under(&format!("{}/", bond.id)).next().is_none())
            .map(|bond| bond.id.clone())
            .collect();
        for id in unused {
            self.revoke(step, &id, Some("ephemeral_unused".to_owned()))?;
        }
        self.tend_farewells(step)
    }

    /// A bond by its id or petname.
    pub(super) fn find_bond(&self, name: &str) -> Result<&Bond, Refusal> {
        let by_petname = || self.state.bonds.values().rev().filter(|bond| bond.petname == name);
        self.state
            .bonds
            .get(name)
            .or_else(|| by_petname().find(|bond| !bond.is_over()).or_else(|| by_petname().next()))
            .ok_or(Refusal::BondNotFound)
    }

    /// A bond that owner messages may be sent on.
    pub(super) fn usable_bond(&self, name: &str) -> Result<Bond, Failure> {
        let bond = self.find_bond(name)?;
        match bond.status {
            _ if bond.is_usable() => Ok(bond.clone()),
            BondStatus::Held => Err(Refusal::BondHeld.into()),
            _ => Err(Refusal::BondNotActive.into()),
        }
    }
}
