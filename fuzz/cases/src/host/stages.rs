//! Where the engine under test begins: hosts at different points of one story, with what their peer knows.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use agentpair_protocol::base64url;
use agentpair_protocol::engine::{Command, Record};
use agentpair_protocol::envelope::PairKey;
use agentpair_protocol::identity::{AgentId, Keypair};
use agentpair_protocol::message::{Budget, Mandate, Open, TurnKind};
use agentpair_protocol::negotiation::{Deliverable, DeliverableKind};
use agentpair_protocol::pairing::code::Form;

use super::world::{ALICE, BOB, World};

/// A host as it is stored, at an instant.
pub(super) struct Stage {
    pub(super) records: Vec<Record>,
    pub(super) now: u64,
    /// The codes of what waits for the human: to approve, to reject.
    pub(super) codes: BTreeMap<String, (String, String)>,
    pub(super) peer: Option<Peer>,
    /// The thread of its session.
    pub(super) thread: String,
    /// The deliverable of its session.
    pub(super) deliverable: Deliverable,
    /// Everything that anybody sent to the relay in the whole story, before and after.
    pub(super) texts: Vec<String>,
}

/// The other side of the bond: it has its keys, and no scruples.
pub(super) struct Peer {
    pub(super) key: Keypair,
    pub(super) pair: PairKey,
    /// The host under test.
    pub(super) host: AgentId,
    pub(super) bond: String,
}

pub(super) static STAGES: LazyLock<Vec<Stage>> = LazyLock::new(|| {
    let mut stages = story();
    stages.extend(held());
    stages
});

pub(super) fn terms() -> Open {
    Open {
        goal: "Agree on the fields".to_owned(),
        acceptance: Vec::new(),
        budget: Budget { max_turns: 6, deadline: "2027-01-20T00:00:00Z".to_owned() },
        mandate: Mandate::default(),
        from: None,
        supersedes: None,
    }
}

pub(super) fn deliverable() -> Deliverable {
    Deliverable {
        kind: DeliverableKind::Json,
        media_type: "application/json".to_owned(),
        name: "fields.json".to_owned(),
        text: "{\"id\":1}".to_owned(),
    }
}

fn snapshot(world: &World, n: usize) -> Stage {
    let host = &world.hosts[n];
    let records: Vec<Record> =
        host.records.iter().map(|(key, value)| Record { key: key.clone(), value: Some(value.clone()) }).collect();
    let peer = host.engine.bonds().first().and_then(|bond| {
        let other = &world.hosts[1 - n];
        let theirs = other.engine.bonds().into_iter().find(|b| b.own == bond.peer)?;
        let seed: String = serde_json::from_str(other.records.get(&format!("secret/{}", theirs.id))?).ok()?;
        let key = Keypair::from_seed(base64url::decode_array(&seed).ok()?);
        let id = AgentId::parse(&bond.own).ok()?;
        let pair = PairKey::derive(&key, &id).ok()?;
        Some(Peer { key, pair, host: id, bond: bond.id.clone() })
    });
    Stage {
        records,
        now: world.now,
        codes: host.codes.clone(),
        peer,
        thread: host.engine.sessions().first().map_or_else(|| "t".to_owned(), |session| session.thread.clone()),
        deliverable: deliverable(),
        texts: Vec::new(),
    }
}

fn name(n: usize) -> String {
    if n == ALICE { "bob" } else { "alice" }.to_owned()
}

fn story() -> Vec<Stage> {
    let mut world = World::new(true);
    let mut stages = vec![snapshot(&world, ALICE)];
    let (_, code) = world.invite(Form::Link);
    stages.push(snapshot(&world, ALICE));
    world.join(&code).unwrap();
    stages.push(snapshot(&world, BOB));
    stages.push(snapshot(&world, ALICE));
    world.decide_all(BOB, true);
    world.pass(5_000);
    for n in [ALICE, BOB] {
        let send = |body: &str| Command::Send {
            bond: name(n),
            body: body.to_owned(),
            kind: None,
            thread: Some("t".to_owned()),
            ttl: None,
        };
        world.command(n, send("one")).unwrap();
        world.command(n, send("two")).unwrap();
        world.pass(5_000);
    }
    stages.push(snapshot(&world, ALICE));
    let thread = world.command(ALICE, Command::Open { bond: name(ALICE), terms: terms() }).unwrap().thread.unwrap();
    world.pass(3_000);
    stages.push(snapshot(&world, ALICE));
    stages.push(snapshot(&world, BOB));
    world.decide_all(BOB, true);
    world.pass(3_000);
    let turn = Command::Turn {
        bond: name(ALICE),
        thread: thread.clone(),
        kind: TurnKind::Propose,
        body: "this".to_owned(),
        deliverable: Some(deliverable()),
        sha256: None,
    };
    let sha256 = world.command(ALICE, turn).unwrap().sha256.unwrap();
    world.pass(3_000);
    stages.push(snapshot(&world, ALICE));
    stages.push(snapshot(&world, BOB));
    for n in [ALICE, BOB] {
        let sign = Command::Sign { bond: name(n), thread: thread.clone(), sha256: sha256.clone() };
        world.command(n, sign).unwrap();
        world.pass(3_000);
    }
    stages.push(snapshot(&world, ALICE));
    world.decide_all(BOB, true);
    world.pass(3_000);
    stages.push(snapshot(&world, ALICE));
    stages.push(snapshot(&world, BOB));
    world.decide_all(ALICE, true);
    world.pass(3_000);
    stages.push(snapshot(&world, ALICE));
    world.command(BOB, Command::Revoke { bond: name(BOB), reason: None }).unwrap();
    world.pass(3_000);
    stages.push(snapshot(&world, ALICE));
    with_texts(stages, &world)
}

/// A bond by a code of digits: held until the number is verified.
fn held() -> Vec<Stage> {
    let mut world = World::new(false);
    world.pair(Form::Digits);
    let stage = snapshot(&world, ALICE);
    with_texts(vec![stage], &world)
}

fn with_texts(mut stages: Vec<Stage>, world: &World) -> Vec<Stage> {
    let is_body = |text: &&String| text.starts_with('{');
    let texts: Vec<String> = world.relay.seen.iter().filter(is_body).cloned().collect();
    stages.iter_mut().for_each(|stage| stage.texts.clone_from(&texts));
    stages
}
