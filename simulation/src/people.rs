//! What owners and their agents do: at random, but with the sense of people who want to get something done.

use agentpair_protocol::bond::BondStatus;
use agentpair_protocol::engine::view::SessionView;
use agentpair_protocol::engine::{Command, Input};
use agentpair_protocol::gate::Decision;
use agentpair_protocol::message::{Budget, Criterion, CriterionTest, Mandate, Open, TurnKind};
use agentpair_protocol::negotiation::{Deliverable, DeliverableKind, Side};
use agentpair_protocol::pairing::code::Form;

use crate::checks::Sent;
use crate::dice::Dice;
use crate::plan::Fault;
use crate::world::{Event, Outcome, World};

/// A code on its way from one person to another.
#[derive(Debug, Clone)]
struct Spoken {
    from: usize,
    code: String,
}

/// All people.
#[derive(Debug)]
pub struct People {
    dice: Dice,
    hosts: usize,
    codes: Vec<Spoken>,
    /// What is still to be done.
    pub acts_left: u32,
    names: u32,
    /// Somebody used another code than the one that was told, or an old one.
    pub has_misheard: bool,
}

impl People {
    /// People before they do anything.
    #[must_use]
    pub fn new(seed: u64, hosts: usize) -> Self {
        Self { dice: Dice::new(seed, "people"), hosts, codes: Vec::new(), acts_left: 0, names: 0, has_misheard: false }
    }
}

/// Somebody does something.
pub(crate) fn act(world: &mut World) -> Outcome {
    if world.people.acts_left == 0 || !world.faults.is_on() {
        return Ok(());
    }
    world.people.acts_left -= 1;
    let pause = world.people.dice.span(world.plan.pause_ms);
    world.at(world.now + pause + 1, Event::Act);
    let hosts = world.people.hosts as u64;
    let host = usize::try_from(world.people.dice.below(hosts)).unwrap_or(0);
    if world.machines[host].engine.is_none() {
        return Ok(());
    }
    if world.faults.fires(Fault::Clock) {
        jump(world, host)?;
    }
    let dice = &mut world.people.dice;
    if dice.permille(200) && decide(world, host)? {
        return Ok(());
    }
    let dice = &mut world.people.dice;
    match dice.below(100) {
        0..5 => invite(world, host),
        5..8 => join(world, host),
        8..38 => send(world, host, None),
        38..56 => open(world, host),
        56..76 => turn(world, host),
        76..88 => sign(world, host),
        88..90 => extend(world, host),
        90..92 => close(world, host),
        92..95 => verify(world, host),
        95 => revoke(world, host),
        96 => cancel(world, host),
        97 => brake(world, host),
        98 => rename(world, host),
        _ => read(world, host),
    }
}

/// Whether people act of themselves: while faults happen, unless a script acts for them.
fn is_busy(world: &World) -> bool {
    world.faults.is_on() && world.plan.acts > 0
}

/// A human looks at one thing that waits.
pub(crate) fn look(world: &mut World, host: usize) -> Outcome {
    if is_busy(world) { decide(world, host).map(|_| ()) } else { Ok(()) }
}

/// A human tells a code to somebody, who mostly uses it.
pub(crate) fn tell(world: &mut World, from: usize) -> Outcome {
    if !is_busy(world) {
        return Ok(());
    }
    listen(world, from);
    let others = world.people.hosts as u64 - 1;
    let to = (from + 1 + usize::try_from(world.people.dice.below(others)).unwrap_or(0)) % world.people.hosts;
    let is_used = world.people.dice.permille(900);
    let code = world.people.codes.iter().rev().find(|spoken| spoken.from == from).map(|spoken| spoken.code.clone());
    match code {
        Some(code) if is_used && world.machines[to].engine.is_some() => use_code(world, to, code),
        _ => Ok(()),
    }
}

/// An agent goes on with a session where the other side has moved, most of the time.
pub(crate) fn work(world: &mut World, host: usize) -> Outcome {
    if !is_busy(world) || !world.people.dice.permille(800) {
        return Ok(());
    }
    let Some(session) = some_session(world, host).filter(|session| session.status == "live") else { return Ok(()) };
    let is_accepted = world.machines[host].engine.as_ref().is_some_and(|engine| {
        engine.turns(&session.bond, &session.thread).last().is_some_and(|turn| turn.msg_type == "accept")
    });
    if session.signed_by_me.is_none() && (is_accepted || session.signed_by_peer.is_some()) {
        sign(world, host)
    } else if session.your_turn {
        turn(world, host)
    } else {
        Ok(())
    }
}

/// A human approves everything whose code can be read.
pub(crate) fn approve_all(world: &mut World, host: usize) -> Outcome {
    let Some(engine) = &world.machines[host].engine else { return Ok(()) };
    let waiting: Vec<String> = engine.pendings().into_iter().map(|pending| pending.id).collect();
    for pending in waiting {
        let Some((code, _)) = world.machines[host].disk.codes.get(&pending).cloned() else { continue };
        run(world, host, decision_on(pending, code, Decision::Approve))?;
    }
    Ok(())
}

/// Everything that waits for a human is decided.
pub(crate) fn decide_all(world: &mut World) -> Outcome {
    for host in 0..world.machines.len() {
        for _ in 0..50 {
            if !decide(world, host)? {
                break;
            }
        }
    }
    Ok(())
}

/// A message on every bond, in both directions.
pub(crate) fn ping(world: &mut World) -> Outcome {
    for host in 0..world.machines.len() {
        for bond in bonds(world, host) {
            send(world, host, Some(bond))?;
        }
    }
    Ok(())
}

pub(crate) fn run(world: &mut World, host: usize, command: Command) -> Outcome {
    if world.machines[host].engine.is_none() {
        return Ok(());
    }
    world.command(host, command).map(|_| ())
}

fn jump(world: &mut World, host: usize) -> Outcome {
    const MINUTE: i64 = 60_000;
    let by = [-3_000 * MINUTE, -121 * MINUTE, -6 * MINUTE, -1_000, 1_000, 6 * MINUTE, 121 * MINUTE, 3_000 * MINUTE];
    let to = *world.people.dice.pick(&by).unwrap_or(&0);
    world.machines[host].clock = if world.people.dice.permille(300) { 0 } else { to };
    world.note(|| format!("host {host}: the clock is {to} ms off"));
    world.tick(host)
}

/// Codes that a screen shows are told to others.
fn listen(world: &mut World, host: usize) {
    let Some(engine) = &world.machines[host].engine else { return };
    for code in engine.pairings().into_iter().filter_map(|pairing| pairing.code) {
        if !world.people.codes.iter().any(|spoken| spoken.code == code) {
            world.people.codes.push(Spoken { from: host, code });
        }
    }
}

fn bonds(world: &World, host: usize) -> Vec<String> {
    let Some(engine) = &world.machines[host].engine else { return Vec::new() };
    let is_open = |status| matches!(status, BondStatus::Active | BondStatus::Unreachable | BondStatus::Held);
    engine.bonds().into_iter().filter(|bond| is_open(bond.status)).map(|bond| bond.id).collect()
}

fn some_bond(world: &mut World, host: usize) -> Option<String> {
    let bonds = bonds(world, host);
    world.people.dice.pick(&bonds).cloned()
}

fn decision_on(pending: String, code: String, decision: Decision) -> Command {
    Command::Decide { pending, code, channel: "file".to_owned(), reason: None, decision: Some(decision), proof: None }
}

/// Decides one thing that waits, if the human can see its code.
fn decide(world: &mut World, host: usize) -> Outcome<bool> {
    let Some(engine) = &world.machines[host].engine else { return Ok(false) };
    let codes = &world.machines[host].disk.codes;
    let known: Vec<(String, (String, String))> =
        engine.pendings().into_iter().filter_map(|p| Some((p.id.clone(), codes.get(&p.id)?.clone()))).collect();
    let Some((pending, (yes, no))) = world.people.dice.pick(&known).cloned() else { return Ok(false) };
    let (code, decision) = match world.people.dice.below(100) {
        0..88 => (yes, Decision::Approve),
        88..97 => (no, Decision::Reject),
        _ => ("000000".to_owned(), Decision::Approve),
    };
    run(world, host, decision_on(pending, code, decision))?;
    Ok(true)
}

fn invite(world: &mut World, host: usize) -> Outcome {
    let form = match world.people.dice.below(100) {
        0..70 => Form::Link,
        70..90 => Form::Words,
        _ => Form::Digits,
    };
    let is_ephemeral = world.people.dice.permille(150);
    let mode = if is_ephemeral { "ephemeral_until_session_closes" } else { "bonded_contact" };
    let scope = vec!["message".to_owned(), "negotiate".to_owned()];
    let relay = crate::relay::URL.to_owned();
    run(world, host, Command::Invite { form, scope, mode: mode.to_owned(), relay, petname: None })
}

fn join(world: &mut World, host: usize) -> Outcome {
    let told: Vec<Spoken> = world.people.codes.iter().filter(|spoken| spoken.from != host).cloned().collect();
    let Some(Spoken { code, .. }) = world.people.dice.pick(&told).cloned() else { return invite(world, host) };
    use_code(world, host, code)
}

fn use_code(world: &mut World, host: usize, code: String) -> Outcome {
    // A spoken name is soon given to another invite: an old code is then a wrong one.
    let mut engines = world.machines.iter().filter_map(|machine| machine.engine.as_ref());
    let is_shown = engines.any(|engine| engine.pairings().iter().any(|p| p.code.as_ref() == Some(&code)));
    if !is_shown && !code.contains('#') {
        world.people.has_misheard = true;
    }
    let is_misheard = world.people.dice.permille(60);
    let code = match code.rsplit_once('-') {
        Some((head, _)) if is_misheard && head.matches('-').count() == 2 => {
            world.people.has_misheard = true;
            format!("{head}-zebra")
        }
        _ => code,
    };
    let relay = crate::relay::URL.to_owned();
    run(world, host, Command::Join { code, relay, petname: None })
}

fn send(world: &mut World, host: usize, on: Option<String>) -> Outcome {
    let is_ping = on.is_some();
    let Some(bond) = on.or_else(|| some_bond(world, host)) else { return join(world, host) };
    if world.machines[host].engine.is_none() {
        return Ok(());
    }
    let number = world.checks.sent.len();
    let dice = &mut world.people.dice;
    let mut body = format!("m{number} ");
    if !is_ping && dice.permille(20) {
        body.push_str(&"x".repeat(70_000));
    }
    let thread = dice.pick(&["a", "b", "constructor"]).map(|name| (*name).to_owned());
    let thread = if is_ping { Some(format!("ping{host}")) } else { thread };
    let ttl = (!is_ping && dice.permille(50)).then_some(60);
    let command = Command::Send { bond: bond.clone(), body, kind: None, thread, ttl };
    // Noted first: it may arrive before anything else is known of it.
    let sent = Sent { host, bond, mid: String::new(), is_stored: false, has_arrived: false, told: None };
    world.checks.sent.push(sent);
    let (reply, is_stored) = world.command(host, command)?;
    match reply {
        Ok(reply) => {
            let sent = &mut world.checks.sent[number];
            (sent.mid, sent.is_stored) = (reply.mid.unwrap_or_default(), is_stored);
        }
        Err(_) => world.checks.sent.truncate(number),
    }
    Ok(())
}

fn open(world: &mut World, host: usize) -> Outcome {
    let Some(bond) = some_bond(world, host) else { return join(world, host) };
    let dice = &mut world.people.dice;
    let deadline = *dice
        .pick(&["2027-01-01T02:00:00Z", "2027-01-02T00:00:00Z", "2027-02-01T00:00:00Z"])
        .unwrap_or(&"2027-02-01T00:00:00Z");
    let terms = Open {
        goal: "Agree on something".to_owned(),
        acceptance: vec![Criterion {
            id: "complete".to_owned(),
            test: CriterionTest::Judgment,
            desc: "nothing is missing".to_owned(),
            runner: None,
        }],
        budget: Budget { max_turns: u32::try_from(dice.between(2, 8)).unwrap_or(4), deadline: deadline.to_owned() },
        mandate: Mandate::default(),
        from: None,
        supersedes: None,
    };
    run(world, host, Command::Open { bond, terms })
}

fn sessions(world: &World, host: usize) -> Vec<SessionView> {
    let Some(engine) = &world.machines[host].engine else { return Vec::new() };
    engine.sessions().into_iter().filter(|session| matches!(session.status.as_str(), "live" | "signed")).collect()
}

fn some_session(world: &mut World, host: usize) -> Option<SessionView> {
    let sessions = sessions(world, host);
    world.people.dice.pick(&sessions).cloned()
}

fn turn(world: &mut World, host: usize) -> Outcome {
    let Some(session) = some_session(world, host) else { return open(world, host) };
    world.people.names += 1;
    let name = world.people.names;
    let has_proposal = world.machines[host]
        .engine
        .as_ref()
        .is_some_and(|engine| engine.turns(&session.bond, &session.thread).iter().any(|t| t.deliverable.is_some()));
    let kind = match world.people.dice.below(10) {
        _ if !has_proposal => TurnKind::Propose,
        0..3 => TurnKind::Counter,
        3 => TurnKind::Propose,
        _ => TurnKind::Accept,
    };
    let deliverable = matches!(kind, TurnKind::Propose | TurnKind::Counter).then(|| Deliverable {
        kind: DeliverableKind::Text,
        media_type: "text/plain".to_owned(),
        name: "text.txt".to_owned(),
        text: format!("version {name}"),
    });
    let Session { bond, thread } = Session::of(&session);
    run(world, host, Command::Turn { bond, thread, kind, body: "see here".to_owned(), deliverable, sha256: None })
}

struct Session {
    bond: String,
    thread: String,
}

impl Session {
    fn of(view: &SessionView) -> Self {
        Self { bond: view.bond.clone(), thread: view.thread.clone() }
    }
}

/// Signs what was put forward last, or what the peer has signed.
fn sign(world: &mut World, host: usize) -> Outcome {
    let Some(session) = some_session(world, host) else { return turn(world, host) };
    let Some(engine) = &world.machines[host].engine else { return Ok(()) };
    let turns = engine.turns(&session.bond, &session.thread);
    let last = turns.iter().rev().find_map(|turn| Some(turn.deliverable.as_ref()?.sha256.clone()));
    let is_led = world.people.dice.permille(800);
    let Some(sha256) = session.signed_by_peer.clone().filter(|_| is_led).or(last) else { return turn(world, host) };
    let Session { bond, thread } = Session::of(&session);
    run(world, host, Command::Sign { bond, thread, sha256 })
}

fn extend(world: &mut World, host: usize) -> Outcome {
    let Some(session) = some_session(world, host) else { return turn(world, host) };
    let max_turns = session.max_turns + 2;
    let Session { bond, thread } = Session::of(&session);
    run(world, host, Command::Extend { bond, thread, max_turns })
}

fn close(world: &mut World, host: usize) -> Outcome {
    let session = some_session(world, host);
    let place = match session {
        Some(session) if session.opened_by == Side::Me || world.people.dice.permille(300) => Session::of(&session),
        _ => match some_bond(world, host) {
            Some(bond) => Session { bond, thread: "b".to_owned() },
            None => return Ok(()),
        },
    };
    run(world, host, Command::Close { bond: place.bond, thread: place.thread, reason: Some("done".to_owned()) })
}

fn verify(world: &mut World, host: usize) -> Outcome {
    let Some(bond) = some_bond(world, host) else { return Ok(()) };
    run(world, host, Command::Verify { bond, number: "12345 67890".to_owned() })
}

fn revoke(world: &mut World, host: usize) -> Outcome {
    let Some(bond) = some_bond(world, host) else { return Ok(()) };
    run(world, host, Command::Revoke { bond, reason: Some("enough".to_owned()) })
}

fn cancel(world: &mut World, host: usize) -> Outcome {
    let Some(engine) = &world.machines[host].engine else { return Ok(()) };
    let open: Vec<String> = engine.pairings().into_iter().filter(|p| p.outcome.is_none()).map(|p| p.id).collect();
    let Some(pairing) = world.people.dice.pick(&open).cloned() else { return Ok(()) };
    run(world, host, Command::CancelPairing { pairing })
}

fn brake(world: &mut World, host: usize) -> Outcome {
    let Some(bond) = some_bond(world, host) else { return Ok(()) };
    run(world, host, Command::Brake { bond, why: "many messages".to_owned() })
}

fn rename(world: &mut World, host: usize) -> Outcome {
    let Some(bond) = some_bond(world, host) else { return Ok(()) };
    world.people.names += 1;
    let petname = format!("friend {}", world.people.names);
    run(world, host, Command::Rename { bond, petname })
}

fn read(world: &mut World, host: usize) -> Outcome {
    let up_to = world.machines[host].disk.feed.len() as u64;
    run(world, host, Command::Read { up_to })
}

impl World {
    /// Time has passed for a host.
    pub(crate) fn tick(&mut self, host: usize) -> Outcome {
        if self.machines[host].engine.is_none() {
            return Ok(());
        }
        self.input(host, Input::Tick)
    }
}
