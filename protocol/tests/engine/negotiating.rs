use agentpair_protocol::bond::BondStatus;
use agentpair_protocol::engine::{Command, Reply};
use agentpair_protocol::error::{Failure, Reject};
use agentpair_protocol::message::{Budget, Criterion, CriterionTest, Mandate, Open, TurnKind};
use agentpair_protocol::negotiation::{Deliverable, DeliverableKind, Receipt, Session, Side, SignedHash};
use agentpair_protocol::pairing::code::Form;

use super::world::{ALICE, BOB, World, decide};

pub(crate) fn terms() -> Open {
    Open {
        goal: "Agree on the fields of the order API".to_owned(),
        acceptance: vec![Criterion {
            id: "complete".to_owned(),
            test: CriterionTest::Judgment,
            desc: "every field has a type".to_owned(),
            runner: None,
        }],
        budget: Budget { max_turns: 6, deadline: "2027-01-20T00:00:00Z".to_owned() },
        mandate: Mandate {
            agent_may: vec!["propose".to_owned()],
            human_required: vec!["ratify".to_owned()],
            escalate_on: None,
        },
        from: None,
        supersedes: None,
    }
}

fn fields(text: &str) -> Option<Deliverable> {
    Some(Deliverable {
        kind: DeliverableKind::Json,
        media_type: "application/json".to_owned(),
        name: "fields.json".to_owned(),
        text: text.to_owned(),
    })
}

fn name(n: usize) -> String {
    if n == ALICE { "bob" } else { "alice" }.to_owned()
}

fn turn(
    world: &mut World,
    n: usize,
    thread: &str,
    kind: TurnKind,
    deliverable: Option<Deliverable>,
) -> Result<Reply, Failure> {
    let reply = world.command(
        n,
        Command::Turn {
            bond: name(n),
            thread: thread.to_owned(),
            kind,
            body: "see here".to_owned(),
            deliverable,
            sha256: None,
        },
    );
    world.pass(3_000);
    reply
}

fn sign(world: &mut World, n: usize, thread: &str, sha256: &str) -> Result<Reply, Failure> {
    let reply = world.command(n, Command::Sign { bond: name(n), thread: thread.to_owned(), sha256: sha256.to_owned() });
    world.pass(3_000);
    reply
}

/// Paired, open, live.
pub(crate) fn live() -> (World, String) {
    live_on(terms())
}

fn live_on(terms: Open) -> (World, String) {
    let mut world = World::new(true);
    world.pair(Form::Link);
    let thread = world.command(ALICE, Command::Open { bond: name(ALICE), terms }).unwrap().thread.unwrap();
    world.pass(3_000);
    assert_eq!(world.decide_all(BOB, true), 1);
    world.pass(3_000);
    assert_eq!((world.session(ALICE).status, world.session(BOB).status), ("live".to_owned(), "live".to_owned()));
    (world, thread)
}

/// Both signed.
pub(crate) fn signed() -> (World, String, String) {
    let (mut world, thread) = live();
    turn(&mut world, ALICE, &thread, TurnKind::Propose, fields("{\"id\":\"string\"}")).unwrap();
    let countered = turn(&mut world, BOB, &thread, TurnKind::Counter, fields("{\"id\":\"integer\"}")).unwrap();
    let accepted = turn(&mut world, ALICE, &thread, TurnKind::Accept, None).unwrap();
    assert_eq!(accepted.sha256, countered.sha256);
    let sha256 = accepted.sha256.unwrap();
    sign(&mut world, ALICE, &thread, &sha256).unwrap();
    sign(&mut world, BOB, &thread, &sha256).unwrap();
    assert_eq!((world.session(ALICE).status, world.session(BOB).status), ("signed".to_owned(), "signed".to_owned()));
    (world, thread, sha256)
}

#[test]
fn what_is_accepted_is_what_was_meant() {
    let (mut world, thread) = live();
    let put =
        |world: &mut World, text| turn(world, ALICE, &thread, TurnKind::Counter, fields(text)).unwrap().sha256.unwrap();
    let read = put(&mut world, "{\"id\":\"string\"}");
    let unread = put(&mut world, "{\"id\":\"integer\"}");
    let mut accept = |kind, sha256: &str| {
        let sha256 = Some(sha256.to_owned());
        let deliverable = if kind == TurnKind::Accept { None } else { fields("{}") };
        let body = String::new();
        world.command(BOB, Command::Turn { bond: name(BOB), thread: thread.clone(), kind, body, deliverable, sha256 })
    };
    assert_eq!(accept(TurnKind::Accept, &read).unwrap_err().code(), "artifact_superseded");
    assert_eq!(accept(TurnKind::Counter, &unread).unwrap_err().code(), "invalid_argument");
    let accepted = accept(TurnKind::Accept, &unread).unwrap();
    assert_eq!((accepted.turn, accepted.sha256), (Some(3), Some(unread)), "a refused turn is none");
}

#[test]
fn from_open_to_one_receipt_on_both_sides() {
    let (mut world, thread, sha256) = signed();
    assert_eq!(world.session(ALICE).agreement, world.session(BOB).agreement);
    assert_eq!(world.decide_all(ALICE, true), 1);
    world.pass(3_000);
    assert_eq!(world.decide_all(BOB, true), 1);
    world.pass(3_000);
    let receipts: Vec<String> =
        [ALICE, BOB].map(|n| world.hosts[n].engine.receipt(&name(n), &thread).unwrap()).to_vec();
    assert_eq!(receipts[0], receipts[1]);
    let verified = Receipt::verify(receipts[0].as_bytes()).unwrap();
    assert_eq!(verified.sha256, sha256);
    assert_eq!(Some(verified.agreement), world.session(ALICE).agreement);
    for tampered in [
        receipts[0].replace("integer", "string"),
        receipts[0].replace("fields.json", "other.json"),
        receipts[0].replace("\"channel\": \"file\"", "\"channel\": \"pin\""),
    ] {
        assert!(Receipt::verify(tampered.as_bytes()).is_err());
    }
}

#[test]
fn an_ephemeral_bond_ends_with_its_agreement_and_its_keys_are_erased() {
    let mut world = World::new(true);
    world.pair_as(Form::Link, "ephemeral_until_session_closes");
    let thread = world.command(ALICE, Command::Open { bond: name(ALICE), terms: terms() }).unwrap().thread.unwrap();
    world.pass(3_000);
    world.decide_all(BOB, true);
    world.pass(3_000);
    let sha256 = turn(&mut world, ALICE, &thread, TurnKind::Propose, fields("[1]")).unwrap().sha256.unwrap();
    sign(&mut world, ALICE, &thread, &sha256).unwrap();
    sign(&mut world, BOB, &thread, &sha256).unwrap();
    world.decide_all(ALICE, true);
    world.pass(3_000);
    world.decide_all(BOB, true);
    world.pass(60_000);
    for n in [ALICE, BOB] {
        assert!(world.session(n).has_receipt);
        let bond = world.hosts[n].engine.bonds().remove(0);
        assert!(bond.is_erased, "{n}: {bond:?}");
    }
}

#[test]
fn unequal_hashes_are_not_an_agreement_and_equal_ones_are_frozen() {
    let (mut world, thread) = live();
    let one = turn(&mut world, ALICE, &thread, TurnKind::Propose, fields("{\"a\":1}")).unwrap().sha256.unwrap();
    let two = turn(&mut world, BOB, &thread, TurnKind::Counter, fields("{\"a\":2}")).unwrap().sha256.unwrap();
    assert_eq!(sign(&mut world, ALICE, &thread, &"0".repeat(64)).unwrap_err().code(), "artifact_not_found");
    sign(&mut world, ALICE, &thread, &one).unwrap();
    sign(&mut world, BOB, &thread, &two).unwrap();
    assert_eq!(world.session(ALICE).status, "live");
    sign(&mut world, ALICE, &thread, &two).unwrap();
    assert_eq!((world.session(ALICE).status, world.session(BOB).status), ("signed".to_owned(), "signed".to_owned()));
    assert_eq!(sign(&mut world, BOB, &thread, &one).unwrap_err().code(), "hash_frozen");
}

#[test]
fn the_budget_counts_both_sides_and_is_extended_by_both_humans() {
    let (mut world, thread) = live();
    for n in 0..6 {
        turn(&mut world, n % 2, &thread, TurnKind::Propose, fields(&format!("{{\"n\":{n}}}"))).unwrap();
    }
    assert_eq!(
        turn(&mut world, ALICE, &thread, TurnKind::Propose, fields("{}")).unwrap_err().code(),
        "budget_exhausted"
    );
    world.command(ALICE, Command::Extend { bond: name(ALICE), thread: thread.clone(), max_turns: 8 }).unwrap();
    assert_eq!(world.decide_all(ALICE, true), 1);
    world.pass(3_000);
    assert_eq!(world.decide_all(BOB, true), 1);
    world.pass(3_000);
    assert_eq!((world.session(ALICE).max_turns, world.session(BOB).max_turns), (8, 8));
    turn(&mut world, ALICE, &thread, TurnKind::Propose, fields("{}")).unwrap();
}

#[test]
fn a_rejected_ratification_ends_both_sides() {
    let (mut world, _, _) = signed();
    world.decide_all(ALICE, true);
    world.pass(3_000);
    world.decide_all(BOB, false);
    world.pass(3_000);
    for n in [ALICE, BOB] {
        let session = world.session(n);
        assert_eq!(
            (session.status.as_str(), session.reason.as_deref(), session.has_receipt),
            ("ended", Some("ratify_rejected"), false)
        );
        assert!(world.hosts[n].engine.pendings().is_empty());
    }
}

#[test]
fn refused_openings_deadlines_and_revocation_end_both_sides() {
    let mut world = World::new(true);
    world.pair(Form::Link);
    world.command(ALICE, Command::Open { bond: name(ALICE), terms: terms() }).unwrap();
    world.pass(3_000);
    world.decide_all(BOB, false);
    world.pass(3_000);
    assert_eq!(world.session(ALICE).reason.as_deref(), Some("open_rejected"));

    let (mut world, _) = live();
    world.pass(10 * 24 * 3_600_000);
    assert_eq!(world.session(ALICE).reason.as_deref(), Some("deadline_expired"));
    assert_eq!(world.session(BOB).reason.as_deref(), Some("deadline_expired"));

    let (mut world, _, _) = signed();
    world.command(BOB, Command::Revoke { bond: name(BOB), reason: None }).unwrap();
    world.pass(3_000);
    assert_eq!(world.session(ALICE).reason.as_deref(), Some("bond_revoked"));
    assert_eq!(world.status(ALICE), Some(BondStatus::RevokedByPeer));
    assert!(world.hosts[ALICE].engine.pendings().is_empty());
}

#[test]
fn a_peer_cannot_bury_the_human_in_openings_or_deliverables() {
    let mut world = World::new(true);
    world.pair(Form::Link);
    for _ in 0..18 {
        world.command(ALICE, Command::Open { bond: name(ALICE), terms: terms() }).unwrap();
    }
    world.pass(3_000);
    assert_eq!(world.hosts[BOB].engine.pendings().len(), 16);
    let sessions = world.hosts[ALICE].engine.sessions();
    assert_eq!(sessions.iter().filter(|s| s.reason.as_deref() == Some("refused_by_peer")).count(), 2);

    let (mut world, thread) = live();
    world.command(ALICE, Command::Extend { bond: name(ALICE), thread: thread.clone(), max_turns: 40 }).unwrap();
    world.decide_all(ALICE, true);
    world.pass(3_000);
    world.decide_all(BOB, true);
    world.pass(3_000);
    // Each as large as a deliverable may be, less the words beside it.
    for n in 0..16 {
        let text = format!("[{n}{}]", " ".repeat(1_048_576 - "see here".len() - 3 - n.to_string().len() + 1));
        turn(&mut world, ALICE, &thread, TurnKind::Propose, fields(&text)).unwrap();
    }
    assert_eq!(world.hosts[BOB].engine.turns(&name(BOB), &thread).len(), 16);
    assert_eq!(
        turn(&mut world, ALICE, &thread, TurnKind::Propose, fields("[1]")).unwrap_err().code(),
        "payload_too_large"
    );
}

#[test]
fn wrong_approval_codes_are_counted_across_the_items_life() {
    let (mut world, _, _) = signed();
    let pending = world.hosts[ALICE].engine.pendings().remove(0).id;
    for left in (0..5).rev() {
        assert_eq!(world.command(ALICE, decide(&pending, "12345".to_owned())).unwrap().attempts_left, Some(left));
        world.restart(ALICE);
        world.settle();
    }
    let (yes, _) = world.hosts[ALICE].codes[&pending].clone();
    assert_eq!(world.command(ALICE, decide(&pending, yes)).unwrap_err().code(), "attempts_exhausted");
    world.pass(24 * 3_600_000);
    world.command(ALICE, Command::Reissue { pending: pending.clone() }).unwrap();
    assert_eq!(world.decide_all(ALICE, true), 1);
}

#[test]
fn restarts_and_lost_answers_between_all_steps_lead_to_the_same_agreement() {
    let (mut world, thread, _) = signed();
    world.hosts[ALICE].lose_answers = true;
    world.decide_all(ALICE, true);
    world.pass(1_000);
    world.restart(ALICE);
    world.hosts[ALICE].lose_answers = false;
    world.pass(60_000);
    world.restart(BOB);
    world.decide_all(BOB, true);
    world.restart(BOB);
    world.restart(ALICE);
    world.pass(60_000);
    let receipts = [ALICE, BOB].map(|n| world.hosts[n].engine.receipt(&name(n), &thread).unwrap());
    assert_eq!(receipts[0], receipts[1]);
}

/// Both have signed a hash, and not the same; each knows of the other's.
fn signed_apart() -> (World, String, [String; 2]) {
    let (mut world, thread) = live();
    let one = turn(&mut world, ALICE, &thread, TurnKind::Propose, fields("{\"a\":1}")).unwrap().sha256.unwrap();
    let two = turn(&mut world, BOB, &thread, TurnKind::Counter, fields("{\"a\":2}")).unwrap().sha256.unwrap();
    sign(&mut world, ALICE, &thread, &one).unwrap();
    sign(&mut world, BOB, &thread, &two).unwrap();
    (world, thread, [one, two])
}

fn deafen(world: &mut World, is_deaf: bool) {
    world.hosts.iter_mut().for_each(|host| host.hears_nothing = is_deaf);
    world.pass(5_000);
}

fn frozen(world: &World) -> [(String, Option<String>); 2] {
    [ALICE, BOB].map(|n| {
        let session = world.session(n);
        (session.status, session.deliverable.map(|deliverable| deliverable.sha256))
    })
}

#[test]
fn whoever_signed_anew_follows_the_peer_that_froze_the_signature_before() {
    let (mut world, thread) = live();
    let one = turn(&mut world, ALICE, &thread, TurnKind::Propose, fields("{\"a\":1}")).unwrap().sha256.unwrap();
    let two = turn(&mut world, BOB, &thread, TurnKind::Counter, fields("{\"a\":2}")).unwrap().sha256.unwrap();
    sign(&mut world, ALICE, &thread, &one).unwrap();
    world.hosts[ALICE].hears_nothing = true;
    sign(&mut world, BOB, &thread, &one).unwrap();
    sign(&mut world, ALICE, &thread, &two).unwrap();
    assert_eq!(world.session(ALICE).status, "live");
    assert_eq!(sign(&mut world, ALICE, &thread, &one).unwrap_err().code(), "signature_pending");
    deafen(&mut world, false);
    assert_eq!(frozen(&world), [("signed".to_owned(), Some(one.clone())), ("signed".to_owned(), Some(one))]);
    assert_eq!((world.decide_all(ALICE, true), world.decide_all(BOB, true)), (1, 1));
    world.pass(5_000);
    assert_eq!((world.session(ALICE).status, world.session(BOB).status), ("agreed".to_owned(), "agreed".to_owned()));
}

#[test]
fn when_signatures_cross_the_recipient_follows_the_initiator() {
    let (mut world, thread, [one, two]) = signed_apart();
    world.hosts.iter_mut().for_each(|host| host.hears_nothing = true);
    sign(&mut world, ALICE, &thread, &two).unwrap();
    sign(&mut world, BOB, &thread, &one).unwrap();
    assert_eq!(
        frozen(&world),
        [("signed".to_owned(), Some(two.clone())), ("signed".to_owned(), Some(one))],
        "each froze what the other had signed"
    );
    deafen(&mut world, false);
    assert_eq!(frozen(&world), [("signed".to_owned(), Some(two.clone())), ("signed".to_owned(), Some(two.clone()))]);
    // The question to the human is about what is frozen now, and the old one is gone.
    let asked = world.hosts[BOB].engine.pendings();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].shown.iter().any(|line| line.text == two), "{asked:?}");
}

#[test]
fn what_a_human_ratified_is_followed_and_never_left() {
    let (mut world, thread, [one, two]) = signed_apart();
    world.hosts.iter_mut().for_each(|host| host.hears_nothing = true);
    sign(&mut world, ALICE, &thread, &two).unwrap();
    sign(&mut world, BOB, &thread, &one).unwrap();
    assert_eq!(world.decide_all(BOB, true), 1);
    deafen(&mut world, false);
    assert_eq!(frozen(&world), [("signed".to_owned(), Some(one.clone())), ("signed".to_owned(), Some(one))]);
    assert_eq!(world.decide_all(ALICE, true), 1);
    world.pass(5_000);
    let receipts = [ALICE, BOB].map(|n| world.hosts[n].engine.receipt(&name(n), &thread).unwrap());
    assert_eq!(receipts[0], receipts[1]);
}

#[test]
fn two_humans_who_ratified_different_hashes_have_no_agreement() {
    let (mut world, thread, [one, two]) = signed_apart();
    world.hosts.iter_mut().for_each(|host| host.hears_nothing = true);
    sign(&mut world, ALICE, &thread, &two).unwrap();
    sign(&mut world, BOB, &thread, &one).unwrap();
    assert_eq!((world.decide_all(ALICE, true), world.decide_all(BOB, true)), (1, 1));
    deafen(&mut world, false);
    assert_eq!((world.session(ALICE).status, world.session(BOB).status), ("ended".to_owned(), "ended".to_owned()));
    assert!([ALICE, BOB].iter().all(|n| world.hosts[*n].engine.receipt(&name(*n), &thread).is_none()));
}

#[test]
fn a_word_that_cannot_be_delivered_ends_the_session_on_both_sides() {
    let budget = Budget { max_turns: 6, deadline: "2027-03-01T00:00:00Z".to_owned() };
    let (mut world, thread) = live_on(Open { budget, ..terms() });
    world.hosts[BOB].hears_nothing = true;
    turn(&mut world, ALICE, &thread, TurnKind::Propose, fields("[1]")).unwrap();
    // It stays at the relay until it expires.
    world.pass(8 * 24 * 3_600_000);
    assert_eq!(world.session(ALICE).reason.as_deref(), Some("undeliverable"));
    world.relay.lose_rows();
    world.hosts[BOB].hears_nothing = false;
    world.pass(3_600_000);
    world
        .command(BOB, Command::Send { bond: name(BOB), body: "there?".to_owned(), kind: None, thread: None, ttl: None })
        .unwrap();
    world.pass(3 * 3_600_000);
    assert_eq!(world.session(BOB).status, "ended");
}

#[test]
fn nobody_leads_a_signed_session_to_and_fro() {
    let described = |sha256: &str| {
        let described = fields(sha256).unwrap().describe();
        Some((agentpair_protocol::negotiation::Described { sha256: sha256.to_owned(), ..described }, sha256.to_owned()))
    };
    let hash = |sha256: &str| SignedHash { sha256: sha256.to_owned(), agreement: None };
    let mut session = Session::open("b", "t", Side::Peer, terms(), String::new(), 0);
    session.approve_open().unwrap();
    for (by, sha256, is_signed) in
        [(Side::Me, "a", false), (Side::Me, "b", false), (Side::Me, "c", false), (Side::Peer, "c", true)]
    {
        assert_eq!(session.sign(by, hash(sha256), described), Ok(is_signed), "{sha256}");
    }
    assert_eq!(session.sign(Side::Peer, hash("x"), described), Err(Reject::HashFrozen), "never signed here");
    assert_eq!(session.sign(Side::Peer, hash("a"), described), Ok(true), "the recipient follows");
    for sha256 in ["b", "c"] {
        assert_eq!(session.sign(Side::Peer, hash(sha256), described), Err(Reject::HashFrozen), "but once");
    }
}
