//! One pairing, from the invite to active bonds, in a world where something is struck.

use agentpair_protocol::bond::BondStatus;
use agentpair_protocol::engine::Command;
use agentpair_protocol::limits::{HOUR_MS, SECOND_MS};
use agentpair_protocol::pairing::code::Form;

use crate::checks;
use crate::people;
use crate::plan::{Leg, Plan};
use crate::world::{Outcome, World};

/// The side that invites.
pub const INITIATOR: usize = 0;
/// The side that joins.
pub const JOINER: usize = 1;

/// A pairing that has come to its end.
#[derive(Debug, PartialEq, Eq)]
pub struct Paired {
    /// How each side's pairing ended.
    pub outcomes: Vec<Option<String>>,
    /// How each side's bonds stand.
    pub bonds: Vec<Vec<BondStatus>>,
}

impl Paired {
    /// Whether both sides have one active bond.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.bonds.iter().all(|bonds| bonds == &[BondStatus::Active])
    }

    /// Whether neither side has a bond that lives.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.bonds.iter().flatten().all(|status| *status == BondStatus::Failed || *status == BondStatus::RevokedByPeer)
    }
}

/// A pairing under way.
pub struct Pairing {
    /// Where it happens.
    pub world: World,
    code: String,
}

impl Pairing {
    /// Invites. Something may be struck already.
    ///
    /// # Errors
    /// The first broken promise; also, no invite within ten minutes.
    pub fn invite(plan: Plan, form: Form) -> Outcome<Self> {
        let mut world = World::new(plan, false);
        world.begin();
        world.run_until(world.now + SECOND_MS)?;
        Self::invite_in(world, form)
    }

    /// Invites once more.
    ///
    /// # Errors
    /// As [`Pairing::invite`].
    pub fn again(self, form: Form) -> Outcome<Self> {
        Self::invite_in(self.world, form)
    }

    fn invite_in(mut world: World, form: Form) -> Outcome<Self> {
        // Repeated until it is on the disk: a human whose machine died asks again.
        for _ in 0..600 {
            if world.machines[INITIATOR].engine.is_some() {
                let is_asked = pairings(&world, INITIATOR).iter().any(|pairing| pairing.outcome.is_none());
                if !is_asked {
                    let scope = vec!["message".to_owned(), "negotiate".to_owned()];
                    let (mode, relay) = ("bonded_contact".to_owned(), crate::relay::URL.to_owned());
                    people::run(&mut world, INITIATOR, Command::Invite { form, scope, mode, relay, petname: None })?;
                }
                let code = pairings(&world, INITIATOR).into_iter().find_map(|pairing| pairing.code);
                if let Some(code) = code {
                    return Ok(Self { world, code });
                }
            }
            world.run_until(world.now + SECOND_MS)?;
        }
        Err("there is no invite within ten minutes".to_owned())
    }

    /// Somebody uses the code.
    ///
    /// # Errors
    /// The first broken promise.
    pub fn join(&mut self, host: usize) -> Outcome {
        for _ in 0..600 {
            if self.world.machines[host].engine.is_some() {
                let (code, relay) = (self.code.clone(), crate::relay::URL.to_owned());
                people::run(&mut self.world, host, Command::Join { code, relay, petname: None })?;
                if pairings(&self.world, host).iter().any(|pairing| pairing.outcome.is_none()) {
                    return Ok(());
                }
            }
            self.world.run_until(self.world.now + SECOND_MS)?;
        }
        Err("nobody joins within ten minutes".to_owned())
    }

    /// Lets time pass; humans approve what they are asked.
    ///
    /// # Errors
    /// The first broken promise.
    pub fn pass(&mut self, ms: u64) -> Outcome {
        let end = self.world.now + ms;
        while self.world.now < end {
            self.world.run_until((self.world.now + SECOND_MS).min(end))?;
            for host in 0..self.world.machines.len() {
                people::approve_all(&mut self.world, host)?;
            }
        }
        Ok(())
    }

    /// The last word of the code is understood as another one.
    pub fn mishear(&mut self) {
        self.world.people.has_misheard = true;
        if let Some((head, _)) = self.code.rsplit_once('-') {
            self.code = format!("{head}-zebra");
        }
    }

    /// The relay puts something else into the slot.
    pub fn overwrite_slots(&mut self, message: &[u8]) {
        self.world.checks.is_forged = true;
        self.world.relay.overwrite_slots(message);
    }

    /// The relay forgets that the code was used.
    pub fn offer_again(&mut self) {
        self.world.checks.is_forged = true;
        self.world.relay.offer_again();
    }

    /// A quarter of an hour, and then more than a day: whatever is half done is over then.
    ///
    /// # Errors
    /// The first broken promise.
    pub fn end(mut self) -> Outcome<(Paired, World)> {
        self.pass(900 * SECOND_MS)?;
        let early = paired(&self.world);
        self.world.heal()?;
        self.world.run_until(self.world.now + 26 * HOUR_MS)?;
        checks::finale(&self.world)?;
        let late = paired(&self.world);
        if early.is_whole() && !late.is_whole() {
            return Err(format!("a whole bond falls apart: {late:?}"));
        }
        Ok((Paired { bonds: late.bonds, ..early }, self.world))
    }
}

/// The whole of it, between two hosts.
///
/// # Errors
/// The first broken promise.
pub fn pair(plan: Plan, form: Form) -> Outcome<(Paired, World)> {
    let mut pairing = Pairing::invite(plan, form)?;
    pairing.join(JOINER)?;
    pairing.end()
}

/// How many of a kind a pairing without faults has.
#[must_use]
pub fn count(world: &World, host: usize, leg: Leg) -> u32 {
    world.faults.passed(host, leg)
}

fn pairings(world: &World, host: usize) -> Vec<agentpair_protocol::engine::view::PairingView> {
    world.machines[host].engine.as_ref().map(|engine| engine.pairings()).unwrap_or_default()
}

fn paired(world: &World) -> Paired {
    let engines = || world.machines.iter().map(|machine| machine.engine.as_ref());
    let outcome = |host: usize| pairings(world, host).into_iter().find_map(|pairing| pairing.outcome);
    let bonds = |engine: &agentpair_protocol::engine::Engine| engine.bonds().iter().map(|bond| bond.status).collect();
    Paired {
        outcomes: (0..world.machines.len()).map(outcome).collect(),
        bonds: engines().map(|engine| engine.map(bonds).unwrap_or_default()).collect(),
    }
}
