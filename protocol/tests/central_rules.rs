//! Ten rules that everything else stands on, each with one test that fails when the rule is taken out of the code.
//! `make mutation-check` takes them out, one at a time (scripts/mutations.txt).

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

#[allow(dead_code, reason = "the engine's tests use more of it")]
#[path = "engine/relay.rs"]
mod relay;
#[allow(dead_code, reason = "the engine's tests use more of it")]
#[path = "engine/world.rs"]
mod world;

use agentpair_protocol::base64url;
use agentpair_protocol::engine::{Command, Event};
use agentpair_protocol::envelope::{Decoded, Draft, PairKey, Profiles, Stamp, bind, seal_with_nonce};
use agentpair_protocol::error::Reject;
use agentpair_protocol::gate::{Decision, PendingItem, Shown, Subject};
use agentpair_protocol::identity::{AgentId, Keypair};
use agentpair_protocol::message::{Budget, Mandate, Open, TurnKind};
use agentpair_protocol::negotiation::{Deliverable, DeliverableKind};
use agentpair_protocol::pairing::code::{Code, Form};
use agentpair_protocol::pairing::confirm::{Parties, fingerprint};
use agentpair_protocol::pairing::invite::Invite;
use agentpair_protocol::pairing::message::PairMessage;
use agentpair_protocol::pairing::spake::{Role, Spake};
use agentpair_protocol::secret::Secret;
use chacha20::ChaCha20Rng;
use rand_core::SeedableRng as _;
use serde_json::{Value, json};
use world::{ALICE, BOB, World};

const ID: &str = "00000000-0000-4000-8000-000000000000";
const NOW_S: u64 = 1_800_000_000;

fn keys() -> [Keypair; 3] {
    [1, 2, 3].map(|n| Keypair::from_seed([n; 32]))
}

/// An envelope with the number 5, good for an hour.
fn seal(from: &Keypair, to: &AgentId) -> Value {
    let draft = Draft {
        from,
        to,
        id: ID,
        kind: "core.msg",
        thread: "t",
        seq: 5,
        ttl: NOW_S + 3_600,
        stamp: None,
        plaintext: b"{\"body\":\"x\"}",
    };
    let pair = PairKey::derive(from, to).unwrap();
    serde_json::from_slice(&seal_with_nonce(&draft, &pair, &[7; 24]).unwrap()).unwrap()
}

/// Bob receives what is said to come from Alice.
fn receive(wire: &Value, last_seq: u64) -> Result<Vec<u8>, Reject> {
    let [alice, bob, _] = keys();
    let fresh = Decoded::from_wire(wire.to_string().as_bytes())?
        .bonded(Some(alice.agent_id()))?
        .authentic()?
        .routed(bob.agent_id())?
        .fresh(last_seq, NOW_S)?;
    let pair = PairKey::derive(&bob, alice.agent_id()).unwrap();
    Ok(fresh.open(&pair)?.into_parts().1)
}

#[test]
fn signature() {
    let [alice, bob, mallory] = keys();
    let mut wire = seal(&alice, bob.agent_id());
    assert!(receive(&wire, 4).is_ok());
    let body = base64url::decode(wire["blob"].as_str().unwrap()).unwrap();
    wire["sig"] = base64url::encode(&mallory.sign(&body)).into();
    assert_eq!(receive(&wire, 4), Err(Reject::InvalidSignature));
}

#[test]
fn bond() {
    let [_, bob, mallory] = keys();
    assert_eq!(receive(&seal(&mallory, bob.agent_id()), 4), Err(Reject::RecipientNotAllowed));
}

#[test]
fn routing() {
    let [alice, bob, mallory] = keys();
    let mut wire = seal(&alice, mallory.agent_id());
    wire["to"] = bob.agent_id().as_str().into();
    assert_eq!(receive(&wire, 4), Err(Reject::RoutingMismatch));
}

#[test]
fn seq() {
    let [alice, bob, _] = keys();
    let wire = seal(&alice, bob.agent_id());
    assert!(receive(&wire, 4).is_ok());
    assert_eq!(receive(&wire, 5), Err(Reject::StaleSeq));
}

/// Two hosts that are bonded, and the keys of Alice's side of it.
fn bonded() -> (World, Keypair) {
    let mut world = World::new(true);
    world.pair(Form::Link);
    let bond = world.hosts[ALICE].engine.bonds().remove(0);
    let seed: String = serde_json::from_str(&world.hosts[ALICE].records[&format!("secret/{}", bond.id)]).unwrap();
    (world, Keypair::from_seed(base64url::decode_array(&seed).unwrap()))
}

/// What Alice's key seals for Bob; `bound` is the number that the plaintext is bound to.
fn post(world: &mut World, alice: &Keypair, (seq, bound): (u64, u64), nonce: u8, body: &str) {
    let bob = AgentId::parse(&world.hosts[BOB].engine.bonds()[0].own).unwrap();
    let (from, to) = (alice.agent_id().as_str(), bob.as_str());
    let id = format!("{seq}-{nonce}");
    let plaintext = json!({ "body": body, "bind": bind(from, to, &id, "core.msg", "t", bound) }).to_string();
    let draft = Draft {
        from: alice,
        to: &bob,
        id: &id,
        kind: "core.msg",
        thread: "t",
        seq,
        ttl: world.now / 1_000 + 3_600,
        stamp: Some(Stamp { sealed_at: world.now, prev: seq - 1 }),
        plaintext: plaintext.as_bytes(),
    };
    let wire = seal_with_nonce(&draft, &PairKey::derive(alice, &bob).unwrap(), &[nonce; 24]).unwrap();
    let text = String::from_utf8(wire).unwrap();
    world.relay.request("POST", &format!("/inbox/{to}"), &[], &text, world.now);
    world.pass(1_000);
}

#[test]
fn nonce() {
    let (mut world, alice) = bonded();
    post(&mut world, &alice, (1, 1), 1, "first");
    post(&mut world, &alice, (2, 2), 1, "under the nonce of the first");
    post(&mut world, &alice, (3, 3), 3, "third");
    assert_eq!(world.hosts[BOB].messages(), ["first", "third"]);
}

#[test]
fn bound_to_its_headers() {
    let (mut world, alice) = bonded();
    post(&mut world, &alice, (1, 1), 1, "first");
    post(&mut world, &alice, (2, 1), 2, "sealed as the first");
    assert_eq!(world.hosts[BOB].messages(), ["first"]);
    let refused = world.hosts[BOB].events().find_map(|event| match event {
        Event::Refused { code, .. } => Some(code.clone()),
        _ => None,
    });
    assert_eq!(refused.as_deref(), Some("invalid_payload"));
}

/// A live session in which each side put one deliverable forward: thread, Alice's hash, Bob's.
fn negotiating() -> (World, String, [String; 2]) {
    let (mut world, _) = bonded();
    let terms = Open {
        goal: "Agree".to_owned(),
        acceptance: Vec::new(),
        budget: Budget { max_turns: 6, deadline: "2027-01-20T00:00:00Z".to_owned() },
        mandate: Mandate::default(),
        from: None,
        supersedes: None,
    };
    let thread = world.command(ALICE, Command::Open { bond: "bob".to_owned(), terms }).unwrap().thread.unwrap();
    world.pass(3_000);
    world.decide_all(BOB, true);
    world.pass(3_000);
    let hashes = [ALICE, BOB].map(|n| {
        let deliverable = Some(Deliverable {
            kind: DeliverableKind::Json,
            media_type: "application/json".to_owned(),
            name: "a.json".to_owned(),
            text: format!("[{n}]"),
        });
        let (bond, thread) = (name(n), thread.clone());
        let turn =
            Command::Turn { bond, thread, kind: TurnKind::Propose, body: "this".to_owned(), deliverable, sha256: None };
        let sha256 = world.command(n, turn).unwrap().sha256.unwrap();
        world.pass(3_000);
        sha256
    });
    (world, thread, hashes)
}

fn name(n: usize) -> String {
    if n == ALICE { "bob" } else { "alice" }.to_owned()
}

/// The code of the refusal, if it is one.
fn sign(world: &mut World, n: usize, thread: &str, sha256: &str) -> Option<&'static str> {
    let sign = Command::Sign { bond: name(n), thread: thread.to_owned(), sha256: sha256.to_owned() };
    let result = world.command(n, sign);
    world.pass(3_000);
    result.err().map(|failure| failure.code())
}

#[test]
fn equal_hash() {
    let (mut world, thread, [one, other]) = negotiating();
    assert_eq!(sign(&mut world, ALICE, &thread, &one), None);
    assert_eq!(sign(&mut world, BOB, &thread, &other), None);
    assert_eq!([ALICE, BOB].map(|n| world.session(n).status), ["live", "live"]);
    assert_eq!(sign(&mut world, ALICE, &thread, &other), None);
    assert_eq!([ALICE, BOB].map(|n| world.session(n).status), ["signed", "signed"]);
}

#[test]
fn hash_freeze() {
    let (mut world, thread, [one, other]) = negotiating();
    for n in [ALICE, BOB] {
        assert_eq!(sign(&mut world, n, &thread, &one), None);
    }
    assert_eq!(sign(&mut world, BOB, &thread, &other), Some("hash_frozen"));
    assert_eq!(sign(&mut world, BOB, &thread, &one), None);
}

/// The message of a joiner who knows this code, or believes so.
fn joiner(invite: &Invite, code: &Code) -> String {
    let key = Keypair::from_seed([9; 32]);
    let spake = Spake::start(Role::Joiner, code.password(), &invite.session_id, &Secret::new([8; 32])).unwrap();
    let Some(PairMessage::Pake { payload, profiles, .. }) = PairMessage::read(invite.pake.as_bytes()) else {
        panic!("the initiator's message")
    };
    let message = *spake.message();
    let shared = spake.finish(&base64url::decode(&payload).unwrap()).unwrap();
    let own = Profiles::offered();
    let parties = Parties {
        initiator: invite.agent_id.as_str(),
        joiner: key.agent_id().as_str(),
        initiator_profiles: &profiles,
        joiner_profiles: &own,
    };
    let message = PairMessage::Pake {
        payload: base64url::encode(&message),
        role: Role::Joiner,
        fingerprint: Some(hex::encode(fingerprint(&shared, parties))),
        agent_id: Some(key.agent_id().as_str().to_owned()),
        profiles: own,
    };
    message.to_json()
}

#[test]
fn one_guess() {
    for is_right_first in [true, false] {
        let mut world = World::new(true);
        let (_, code) = world.invite(Form::Link);
        let right = Code::parse(&code).unwrap();
        let wrong = Code::draw(Form::Link, 0, &mut ChaCha20Rng::from_seed([4; 32]));
        let published = world.relay.seen.iter().find_map(|text| Invite::open(text.as_bytes()).ok());
        let invite = published.expect("the invite");
        world.relay.request("POST", &format!("/invite/{}/claim", invite.name), &[], "{\"claim_id\":\"c\"}", world.now);
        let guesses = if is_right_first { [&right, &wrong] } else { [&wrong, &right] };
        for guess in guesses {
            world.relay.overwrite_slot(&joiner(&invite, guess));
            world.pass(3_000);
        }
        let confirmed = world.relay.seen.iter().any(|text| text.starts_with("{\"phase\":\"confirm\""));
        assert_eq!(confirmed, is_right_first, "the first guess counts, and no other");
        if !is_right_first {
            assert_eq!(world.outcome(ALICE).as_deref(), Some("pake_failed"));
        }
    }
}

#[test]
fn gate_digest() {
    let key = Secret::new([1; 32]);
    let shown = |text: &str| vec![Shown { label: "number".to_owned(), text: text.to_owned(), from_peer: false }];
    let new = |text: &str| {
        let subject = Subject::Verify { bond: "b".to_owned() };
        let mut rng = ChaCha20Rng::from_seed([2; 32]);
        PendingItem::new("p".to_owned(), subject, "Equal?".to_owned(), shown(text), (0, 9), &key, &mut rng)
    };
    let ((item, codes), (other, _)) = (new("1 2 3"), new("4 5 6"));
    assert_eq!(item.judge(&key, codes.approve.expose()), Some(Decision::Approve));
    // Whoever puts other content under the codes that the human was shown.
    let mut forged = serde_json::to_value(&item).unwrap();
    let other = serde_json::to_value(&other).unwrap();
    for part in ["shown", "digest"] {
        forged[part] = other[part].clone();
    }
    let forged: PendingItem = serde_json::from_value(forged).unwrap();
    assert_eq!(forged.judge(&key, codes.approve.expose()), None);
}
