use agentpair_protocol::audit;
use agentpair_protocol::bond::BondStatus;
use agentpair_protocol::engine::{Command, Event, Input};
use agentpair_protocol::pairing::code::Form;

use super::world::{ALICE, BOB, World};

fn send(body: &str) -> Command {
    Command::Send { bond: "bob".to_owned(), body: body.to_owned(), kind: None, thread: Some("t".to_owned()), ttl: None }
}

#[test]
fn messages_arrive_once_in_order_and_are_acknowledged() {
    for has_streams in [true, false] {
        let mut world = World::new(has_streams);
        world.pair(Form::Link);
        let wanted: Vec<String> = (0..100).map(|n| format!("m{n}")).collect();
        for body in &wanted {
            world.command(ALICE, send(body)).unwrap();
        }
        world.pass(60_000);
        assert_eq!(world.hosts[BOB].messages(), wanted);
        let delivered = world.hosts[ALICE]
            .events()
            .filter(|e| matches!(e, Event::Delivery { state, .. } if state == "delivered"))
            .count();
        assert_eq!(delivered, 100);
        assert!(world.hosts[ALICE].engine.outbox().is_empty());
        for host in &world.hosts {
            assert_eq!(audit::verify(&host.audit).unwrap().n, host.engine.host().unwrap().audit);
        }
    }
}

#[test]
fn nothing_is_lost_or_doubled_by_lost_answers_and_restarts() {
    let mut world = World::new(true);
    world.pair(Form::Link);
    let wanted: Vec<String> = (0..40).map(|n| format!("m{n}")).collect();
    for (n, body) in wanted.iter().enumerate() {
        world.hosts[ALICE].lose_answers = n % 3 == 0;
        world.command(ALICE, send(body)).unwrap();
        if n % 7 == 0 {
            world.restart(ALICE);
        }
        if n % 11 == 0 {
            world.restart(BOB);
        }
    }
    world.hosts[ALICE].lose_answers = false;
    world.pass(120_000);
    assert_eq!(world.hosts[BOB].messages(), wanted);
    assert!(world.hosts[ALICE].engine.outbox().is_empty());
}

#[test]
fn a_message_beyond_ten_mebibytes_is_refused_and_changes_nothing() {
    let mut world = World::new(true);
    world.pair(Form::Link);
    let before = world.hosts[ALICE].records.clone();
    let failure = world.command(ALICE, send(&"x".repeat(10_485_760))).unwrap_err();
    assert_eq!((failure.code(), failure.blame()), ("payload_too_large", "policy"));
    assert_eq!(world.hosts[ALICE].records, before);
    world.command(ALICE, send("after")).unwrap();
    world.pass(5_000);
    assert_eq!(world.hosts[BOB].messages(), ["after"]);
}

#[test]
fn what_exceeds_an_envelope_goes_as_an_artifact_and_keeps_its_place() {
    let mut world = World::new(true);
    world.pair(Form::Link);
    let large = "é".repeat(200_000);
    let wanted = ["one", &large, "two", &large, "three"];
    for body in wanted {
        world.command(ALICE, send(body)).unwrap();
        world.restart(BOB);
    }
    world.pass(60_000);
    assert_eq!(world.hosts[BOB].messages(), wanted);
    assert_eq!(world.relay.artifacts.len(), 2);
    assert!(world.hosts[ALICE].engine.outbox().is_empty());
    for host in &world.hosts {
        assert!(!host.records.keys().any(|key| key.starts_with("upload/") || key.starts_with("parked/")));
    }
}

#[test]
fn a_missing_or_altered_artifact_is_refused_and_blocks_nothing() {
    let mut world = World::new(true);
    world.pair(Form::Link);
    world.command(ALICE, send(&"x".repeat(100_000))).unwrap();
    let refused = |world: &World| {
        let events = world.hosts[BOB].events();
        events
            .filter_map(|e| if let Event::Refused { code, .. } = e { Some(code.clone()) } else { None })
            .collect::<Vec<_>>()
    };
    assert!(refused(&world).is_empty());
    for (alter, code) in [(true, "artifact_decrypt_failed"), (false, "artifact_not_found")] {
        let mut world = World::new(true);
        world.pair(Form::Link);
        world.relay.swallow = Some(alter);
        world.command(ALICE, send(&"x".repeat(100_000))).unwrap();
        world.command(ALICE, send("after")).unwrap();
        world.pass(10_000);
        assert_eq!(refused(&world), [code]);
        assert_eq!(world.hosts[BOB].messages(), ["after"]);
        assert!(world.hosts[ALICE].engine.outbox().is_empty());
    }
}

#[test]
fn revoking_is_one_sided_and_erases_the_keys() {
    let mut world = World::new(true);
    world.pair(Form::Link);
    world.command(ALICE, Command::Revoke { bond: "bob".to_owned(), reason: Some("enough".to_owned()) }).unwrap();
    world.pass(5_000);
    assert_eq!(world.status(ALICE), Some(BondStatus::Revoked));
    assert_eq!(world.status(BOB), Some(BondStatus::RevokedByPeer));
    for host in &world.hosts {
        assert!(host.engine.bonds()[0].is_erased, "{:?}", host.engine.bonds());
        assert_eq!(host.records.keys().filter(|key| key.starts_with("secret/")).count(), 1);
    }
    assert_eq!(world.command(ALICE, send("x")).unwrap_err().code(), "bond_not_active");
    let reason = world.hosts[BOB].events().find_map(|e| match e {
        Event::BondChanged { status: BondStatus::RevokedByPeer, reason, .. } => reason.clone(),
        _ => None,
    });
    assert_eq!(reason.as_deref(), Some("enough"));
}

#[test]
fn a_closed_thread_takes_nothing_more() {
    let mut world = World::new(true);
    world.pair(Form::Link);
    world.command(ALICE, send("a")).unwrap();
    world
        .command(
            ALICE,
            Command::Close { bond: "bob".to_owned(), thread: "t".to_owned(), reason: Some("done".to_owned()) },
        )
        .unwrap();
    world.pass(5_000);
    assert!(world.hosts[BOB].events().any(|e| matches!(e, Event::ThreadClosed { reason: Some(r), .. } if r == "done")));
    assert_eq!(world.command(ALICE, send("b")).unwrap_err().code(), "thread_closed");
}

#[test]
fn nobody_is_heard_after_a_revocation() {
    let mut world = World::new(false);
    world.pair(Form::Link);
    // Both are in the inbox before the next poll: the second must not be read after the first.
    world.command(ALICE, Command::Revoke { bond: "bob".to_owned(), reason: None }).unwrap();
    world.command(BOB, Command::Revoke { bond: "alice".to_owned(), reason: None }).unwrap();
    let before = world.hosts[BOB].messages().len();
    world.pass(60_000);
    assert_eq!(world.hosts[BOB].messages().len(), before);
    assert_eq!((world.status(ALICE), world.status(BOB)), (Some(BondStatus::Revoked), Some(BondStatus::Revoked)));
    assert!(world.hosts.iter().all(|host| host.engine.bonds()[0].is_erased));
}

#[test]
fn a_relay_that_lies_about_row_numbers_silences_nobody_for_long() {
    for has_streams in [true, false] {
        let mut world = World::new(has_streams);
        world.pair(Form::Link);
        world.relay.row_lie = 1 << 60;
        world.command(ALICE, send("one")).unwrap();
        world.pass(30_000);
        world.relay.row_lie = 0;
        world.restart(BOB);
        world.command(ALICE, send("two")).unwrap();
        world.pass(30 * 60_000);
        assert_eq!(world.hosts[BOB].messages(), ["one", "two"], "streams {has_streams}");
    }
}

#[test]
fn a_host_says_when_it_hears_what_waits_for_it() {
    for has_streams in [true, false] {
        let mut world = World::new(has_streams);
        let listens = |world: &World| world.hosts[BOB].engine.is_listening();
        assert!(listens(&world), "nothing can come");
        world.pair(Form::Link);
        assert!(listens(&world));
        for lose_answers in [false, true] {
            world.hosts[BOB].lose_answers = lose_answers;
            world.restart(BOB);
            assert!(!listens(&world), "the relay was not asked yet");
            world.settle();
            assert!(listens(&world), "streams {has_streams}, lost {lose_answers}");
        }
        world.restart(BOB);
        world.input(BOB, Input::Network { online: false }).unwrap();
        assert!(listens(&world), "another process may");
    }
}

#[test]
fn what_a_relay_delivers_again_has_no_effect_and_leaves_no_trace_but_a_count() {
    let mut world = World::new(true);
    world.pair(Form::Link);
    world.command(ALICE, send("once")).unwrap();
    world.pass(5_000);
    let (feed, audit) = (world.hosts[BOB].feed.len(), world.hosts[BOB].audit.len());
    world.relay.replay_all();
    world.pass(5_000);
    assert_eq!(world.hosts[BOB].messages(), ["once"]);
    assert_eq!((world.hosts[BOB].feed.len(), world.hosts[BOB].audit.len()), (feed, audit));
    assert!(world.hosts[BOB].records.keys().any(|key| key.starts_with("rejected/") && key.contains("replayed_nonce")));
}

#[test]
fn a_backlog_beyond_the_remembered_nonces_arrives_whole_and_in_order() {
    let mut world = World::new(true);
    world.pair(Form::Link);
    world.input(BOB, Input::Network { online: false }).unwrap();
    let wanted: Vec<String> = (0..4_300).map(|n| n.to_string()).collect();
    for body in &wanted {
        world.now += 1;
        world.command(ALICE, send(body)).unwrap();
    }
    // Bob acknowledges the first of them long after the last of them was sealed.
    world.now += 3_600_000;
    world.input(BOB, Input::Network { online: true }).unwrap();
    world.pass(60_000);
    assert_eq!(world.hosts[BOB].messages(), wanted);
    assert!(!world.hosts[BOB].records.keys().any(|key| key.contains("stale_timestamp")));
    assert!(world.hosts[ALICE].engine.outbox().is_empty());
}

#[test]
fn what_the_peer_holds_back_arrives_when_it_holds_the_bond_no_more() {
    let mut world = World::new(true);
    world.pair(Form::Digits);
    verify(&mut world, ALICE);
    world.command(ALICE, send("early")).unwrap();
    world.pass(10_000);
    assert!(world.hosts[BOB].messages().is_empty());
    assert_eq!(world.hosts[ALICE].engine.outbox().len(), 1);
    verify(&mut world, BOB);
    world.pass(10_000);
    assert_eq!(world.hosts[BOB].messages(), ["early"]);
    assert!(world.hosts[ALICE].engine.outbox().is_empty());
}

fn verify(world: &mut World, n: usize) {
    let bond = world.hosts[n].engine.bonds()[0].id.clone();
    world.command(n, Command::Verify { bond, number: "1 2 3".to_owned() }).unwrap();
    world.decide_all(n, true);
}

#[test]
fn what_was_refused_is_not_called_delivered_when_it_comes_again() {
    let mut world = World::new(true);
    world.pair(Form::Link);
    world.command(ALICE, send("a")).unwrap();
    // Alice does not know of it yet, and Bob's answer to her next message is lost.
    world.hosts[ALICE].hears_nothing = true;
    world.command(BOB, Command::Close { bond: "alice".to_owned(), thread: "t".to_owned(), reason: None }).unwrap();
    let mid = world.command(ALICE, send("b"));
    assert!(mid.is_ok(), "{mid:?}");
    world.pass(10_000);
    world.relay.lose_rows();
    world.hosts[ALICE].hears_nothing = false;
    world.restart(ALICE);
    world
        .command(
            BOB,
            Command::Send { bond: "alice".to_owned(), body: "alive".to_owned(), kind: None, thread: None, ttl: None },
        )
        .unwrap();
    world.pass(3 * 3_600_000);
    assert_eq!(world.hosts[BOB].messages(), ["a"]);
    let of_b = mid.unwrap().mid.unwrap();
    let states: Vec<&str> = world.hosts[ALICE]
        .events()
        .filter_map(|e| match e {
            Event::Delivery { mid, state, .. } if *mid == of_b => Some(state.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(states.last(), Some(&"refused"), "{states:?}");
}
