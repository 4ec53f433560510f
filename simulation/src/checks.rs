//! The promises, checked at every transaction and at the end.

use std::collections::{BTreeMap, BTreeSet};

use agentpair_protocol::audit;
use agentpair_protocol::bond::BondStatus;
use agentpair_protocol::engine::Event;
use agentpair_protocol::engine::view::{BondView, SessionView};
use agentpair_protocol::negotiation::Receipt;

use crate::plan::Plan;
use crate::world::{Outcome, World};

/// A message that somebody asked to be sent.
#[derive(Debug)]
pub struct Sent {
    /// The sender.
    pub host: usize,
    /// The sender's bond.
    pub bond: String,
    /// Its name.
    pub mid: String,
    /// The sender's disk had it before anything else happened.
    pub is_stored: bool,
    /// It is on the recipient's disk.
    pub has_arrived: bool,
    /// The last state that the sender was told.
    pub told: Option<String>,
}

/// What the checks remember.
#[derive(Debug)]
pub struct Checks {
    /// All messages; the body of each begins with its number.
    pub sent: Vec<Sent>,
    /// The relay lost its disk in this run.
    pub has_loss: bool,
    /// What the relay says may be forged in this run.
    pub(crate) is_forged: bool,
    looked: Vec<usize>,
    last_seq: BTreeMap<(usize, String, String), u64>,
    over: BTreeSet<(usize, String)>,
    ended: BTreeMap<(usize, String, String), String>,
}

/// A bond with its host.
type Held = (usize, BondView);

impl Checks {
    /// Nothing has happened yet.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        Self {
            sent: Vec::new(),
            has_loss: false,
            is_forged: plan.forges(),
            looked: vec![0; plan.hosts],
            last_seq: BTreeMap::new(),
            over: BTreeSet::new(),
            ended: BTreeMap::new(),
        }
    }

    /// Whether words that the relay took may be lost in this run.
    fn is_loose(&self) -> bool {
        self.has_loss || self.is_forged
    }

    /// Looks at what a transaction added to a host's feed.
    pub(crate) fn on_persist(world: &mut World, host: usize) -> Outcome {
        let from = world.checks.looked[host];
        let news: Vec<Event> =
            world.machines[host].disk.feed.iter().skip(from).map(|item| item.event.clone()).collect();
        world.checks.looked[host] += news.len();
        for event in news {
            world.note(|| format!("host {host}    {}", format!("{event:?}").chars().take(200).collect::<String>()));
            Self::on_event(world, host, &event)?;
        }
        Ok(())
    }

    fn on_event(world: &mut World, host: usize, event: &Event) -> Outcome {
        match event {
            Event::Message { bond, thread, seq, body, .. } => {
                if world.checks.over.contains(&(host, bond.clone())) {
                    return Err(format!("host {host} hears a peer on a bond that is over: {body:.20}"));
                }
                let number = body.split(' ').next().and_then(|word| word.strip_prefix('m')?.parse::<usize>().ok());
                let Some((number, sent)) = number.and_then(|number| Some((number, world.checks.sent.get(number)?)))
                else {
                    return Err(format!("host {host} hears what nobody said: {body:.20}"));
                };
                if sent.has_arrived {
                    return Err(format!("host {host} hears message {number} twice"));
                }
                let (from, to) = (keys(world, sent.host, &sent.bond), keys(world, host, bond));
                if from.is_none() || from != to.map(|(own, peer)| (peer, own)) {
                    return Err(format!("message {number} comes to host {host} from somebody else"));
                }
                let last = world.checks.last_seq.entry((host, bond.clone(), thread.clone())).or_default();
                if *seq <= *last {
                    return Err(format!("host {host}, message {number}: number {seq} after {last}"));
                }
                *last = *seq;
                world.checks.sent[number].has_arrived = true;
            }
            Event::PairingEnded { outcome, .. }
                if matches!(outcome.as_str(), "pake_failed" | "bond_tag_mismatch")
                    && !world.checks.is_forged
                    && !world.people.has_misheard =>
            {
                return Err(format!("host {host}: a pairing ends with {outcome}, and nobody made a mistake"));
            }
            Event::InvitePublished { .. } => world.soon(crate::world::Event::Tell(host)),
            Event::Delivery { mid, state, .. } => {
                if let Some(at) = world.checks.sent.iter().position(|sent| sent.mid == *mid) {
                    let sent = &mut world.checks.sent[at];
                    if state == "delivered" && !sent.has_arrived {
                        return Err(format!("message {at} is called delivered, and the peer does not have it"));
                    }
                    if let Some(before) = sent.told.as_ref().filter(|told| *told != "relayed") {
                        return Err(format!("message {at} was {before} and is {state}"));
                    }
                    sent.told = Some(state.clone());
                }
            }
            Event::BondChanged { bond, status, .. } => {
                let is_over = is_over(*status);
                let was_over = world.checks.over.contains(&(host, bond.clone()));
                if was_over {
                    return Err(format!("host {host}: a bond that was over is {status:?}"));
                }
                if is_over {
                    world.checks.over.insert((host, bond.clone()));
                }
            }
            Event::Session { bond, thread, status, cause } => {
                let key = (host, bond.clone(), thread.clone());
                let before = world.checks.ended.get(&key).map(String::as_str);
                // What ended may still turn out to be agreed: the last ratification was on its way.
                if before == Some("agreed")
                    || (before == Some("ended") && !matches!(status.as_str(), "agreed" | "signed" | "ended"))
                {
                    return Err(format!("host {host}: a session that was {before:?} is {status} ({cause})"));
                }
                if matches!(status.as_str(), "agreed" | "ended") {
                    world.checks.ended.insert(key, status.clone());
                } else {
                    world.soon(crate::world::Event::Work(host));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn is_over(status: BondStatus) -> bool {
    matches!(status, BondStatus::Revoked | BondStatus::RevokedByPeer | BondStatus::Failed)
}

/// Both ids of a bond, from the disk.
fn keys(world: &World, host: usize, bond: &str) -> Option<(String, String)> {
    let record = world.machines[host].disk.records.get(&format!("bond/{bond}"))?;
    let record: serde_json::Value = serde_json::from_str(record).ok()?;
    let text = |key: &str| Some(record.get(key)?.as_str()?.to_owned());
    Some((text("own")?, text("peer")?))
}

/// What must hold once everything has been well for a day.
pub(crate) fn finale(world: &World) -> Outcome {
    for (host, machine) in world.machines.iter().enumerate() {
        audit::verify(&machine.disk.audit).map_err(|n| format!("host {host}: the audit log breaks at {n}"))?;
    }
    numbers(world)?;
    let held = all_bonds(world);
    for (host, bond) in &held {
        bonds_agree(world, *host, bond, other_side(&held, bond))?;
    }
    messages(world, &held)?;
    for (host, bond) in &held {
        if let Some((peer, other)) = other_side(&held, bond) {
            sessions_agree(world, (*host, bond), (*peer, other))?;
        }
    }
    Ok(())
}

/// No sequence number was used for two envelopes.
fn numbers(world: &World) -> Outcome {
    let mut ids = BTreeMap::new();
    for (from, to, thread, seq, id) in &world.relay.posted {
        let first = ids.entry((from, to, thread, seq)).or_insert(id);
        if *first != id {
            return Err(format!("number {seq} of thread {thread} is used for two envelopes"));
        }
    }
    Ok(())
}

fn all_bonds(world: &World) -> Vec<Held> {
    let of = |(host, machine): (usize, &crate::machine::Machine)| -> Vec<Held> {
        let bonds = machine.engine.as_ref().map(agentpair_protocol::engine::Engine::bonds).unwrap_or_default();
        bonds.into_iter().map(|bond| (host, bond)).collect()
    };
    world.machines.iter().enumerate().flat_map(of).collect()
}

fn other_side<'a>(held: &'a [Held], bond: &BondView) -> Option<&'a Held> {
    held.iter().find(|(_, other)| other.own == bond.peer && other.peer == bond.own)
}

/// No half of a bond lives without the other.
fn bonds_agree(world: &World, host: usize, bond: &BondView, other: Option<&Held>) -> Outcome {
    if is_over(bond.status) {
        return Ok(());
    }
    let about = || format!("host {host}, bond {} {:?}", bond.petname, bond.status);
    match other {
        None => Err(format!("{}: the other side has none", about())),
        Some((peer, other)) if is_over(other.status) => {
            // Its last word may have been lost with the relay: then nothing gets through, and the owner is told so.
            if world.checks.is_loose() && matches!(bond.status, BondStatus::Unreachable | BondStatus::Held) {
                return Ok(());
            }
            Err(format!("{}: host {peer} has it as {:?}", about(), other.status))
        }
        Some((_, other)) if other.keys_digest != bond.keys_digest => Err(format!("{}: other keys", about())),
        Some(_) if matches!(bond.status, BondStatus::Active | BondStatus::Held) => Ok(()),
        Some((peer, other)) => Err(format!("{}: host {peer} has it as {:?}", about(), other.status)),
    }
}

/// Every message arrived, or its sender was told, or the bond is over.
fn messages(world: &World, held: &[Held]) -> Outcome {
    for (number, sent) in world.checks.sent.iter().enumerate() {
        let is_told = sent.told.as_deref().is_some_and(|state| matches!(state, "expired" | "refused"));
        if sent.has_arrived || is_told || !sent.is_stored {
            continue;
        }
        let own = held.iter().find(|(host, bond)| *host == sent.host && bond.id == sent.bond);
        let Some((_, own)) = own else { return Err(format!("message {number}: its bond is gone")) };
        // What a human holds back is not lost: the sender still has it, and sees that it was not delivered.
        let is_held = own.status == BondStatus::Held
            || other_side(held, own).is_some_and(|(_, other)| other.status == BondStatus::Held);
        let engine = world.machines[sent.host].engine.as_ref();
        if is_held && engine.is_some_and(|engine| engine.outbox().iter().any(|row| row.mid == sent.mid)) {
            continue;
        }
        let is_end = is_over(own.status) || other_side(held, own).is_none_or(|(_, other)| is_over(other.status));
        if !is_end {
            return Err(format!(
                "message {number} of host {} on {} {:?} is lost; told {:?}",
                sent.host, own.petname, own.status, sent.told
            ));
        }
    }
    Ok(())
}

fn sessions_agree(world: &World, (host, bond): (usize, &BondView), (peer, other): (usize, &BondView)) -> Outcome {
    let (Some(here), Some(there)) = (&world.machines[host].engine, &world.machines[peer].engine) else {
        return Err("a host is off at the end".to_owned());
    };
    for mine in here.sessions().into_iter().filter(|session| session.bond == bond.id) {
        let about = || format!("host {host}, session {} is {} ({:?})", mine.thread, mine.status, mine.reason);
        let theirs = there.session(&other.id, &mine.thread);
        // While a human holds the bond, nothing gets through; it is kept for later.
        if [bond.status, other.status].contains(&BondStatus::Held) {
            continue;
        }
        let is_end = is_over(bond.status) || is_over(other.status);
        let Some(theirs) = theirs else {
            if mine.status == "ended" || is_end {
                continue;
            }
            return Err(format!("{}: host {peer} does not know it", about()));
        };
        if mine.status == "agreed" {
            agreed(world, (host, bond, &mine), (peer, other, &theirs))?;
            continue;
        }
        if is_end || mine.status == theirs.status {
            if !is_end && mine.status == "live" && mine.signed_by_me != theirs.signed_by_peer {
                return Err(format!("{}: host {peer} does not know what is signed", about()));
            }
            continue;
        }
        return Err(format!("{}: host {peer} has it as {} ({:?})", about(), theirs.status, theirs.reason));
    }
    Ok(())
}

/// Both sides hold one receipt, which verifies.
fn agreed(
    world: &World,
    (host, bond, mine): (usize, &BondView, &SessionView),
    (peer, other, theirs): (usize, &BondView, &SessionView),
) -> Outcome {
    let receipt = |host: usize, bond: &str| {
        world.machines[host].engine.as_ref().and_then(|engine| engine.receipt(bond, &mine.thread))
    };
    let own = receipt(host, &bond.id).ok_or(format!("host {host}: an agreement without a receipt"))?;
    Receipt::verify(own.as_bytes()).map_err(|fault| format!("host {host}: the receipt {}", fault.text()))?;
    if theirs.status == "agreed" {
        let equal = receipt(peer, &other.id).as_deref() == Some(own.as_str());
        return if equal { Ok(()) } else { Err(format!("hosts {host} and {peer} hold different receipts")) };
    }
    let signed = theirs.ratified_by_me.is_some() || theirs.status == "ended";
    // A side that revoked hears no last word; and the last words of a bond that is over may be lost with the relay.
    if signed && (is_over(other.status) || (is_over(bond.status) && world.checks.is_loose())) {
        return Ok(());
    }
    Err(format!("host {host} agreed on {}, host {peer} has it as {} ({:?})", mine.thread, theirs.status, theirs.reason))
}
