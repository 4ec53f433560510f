use agentpair_protocol::bond::BondStatus;
use agentpair_protocol::engine::{Command, Event};
use agentpair_protocol::message::HostKind;
use agentpair_protocol::pairing::code::Form;

use super::world::{ALICE, BOB, World, decide};

#[test]
fn words_and_links_lead_to_an_active_bond_on_both_sides() {
    for has_streams in [true, false] {
        for form in [Form::Words, Form::Link] {
            let mut world = World::new(has_streams);
            world.pair(form);
            for n in [ALICE, BOB] {
                assert_eq!(world.outcome(n).as_deref(), Some("bonded"), "{form:?} {n}");
                assert_eq!(world.status(n), Some(BondStatus::Active), "{form:?} {n}");
            }
            let digests: Vec<String> = world.hosts.iter().map(|h| h.engine.bonds()[0].keys_digest.clone()).collect();
            assert_eq!(digests[0], digests[1]);
            let root = world.hosts[BOB].engine.host().unwrap().agent_id;
            assert_eq!(world.hosts[ALICE].engine.bonds()[0].peer_root, Some(root));
        }
    }
}

#[test]
fn the_peer_is_told_what_keeps_the_keys() {
    let mut world = World::new(true);
    world.hosts[BOB].engine.set_kind(HostKind::Page);
    world.pair(Form::Words);
    let known = |n: usize| {
        let (_, bond) = world.hosts[n].records.iter().find(|(key, _)| key.starts_with("bond/")).unwrap();
        serde_json::from_str::<serde_json::Value>(bond).unwrap()["peer_host"].clone()
    };
    assert_eq!((known(ALICE), known(BOB)), ("page".into(), "process".into()));
}

#[test]
fn digits_are_held_until_the_number_is_verified() {
    let mut world = World::new(true);
    world.pair(Form::Digits);
    for n in [ALICE, BOB] {
        assert_eq!(world.status(n), Some(BondStatus::Held));
        let bond = world.hosts[n].engine.bonds()[0].id.clone();
        let send = Command::Send { bond: bond.clone(), body: "x".to_owned(), kind: None, thread: None, ttl: None };
        assert_eq!(world.command(n, send).unwrap_err().code(), "bond_held");
        world.command(n, Command::Verify { bond, number: "1 2 3".to_owned() }).unwrap();
        world.decide_all(n, true);
        assert_eq!(world.status(n), Some(BondStatus::Active));
    }
}

#[test]
fn numbers_that_differ_hold_the_bond() {
    let mut world = World::new(true);
    world.pair(Form::Words);
    let bond = world.hosts[ALICE].engine.bonds()[0].id.clone();
    world.command(ALICE, Command::Verify { bond: bond.clone(), number: "1 2 3".to_owned() }).unwrap();
    world.decide_all(ALICE, false);
    assert_eq!(world.status(ALICE), Some(BondStatus::Held));
    let send = Command::Send { bond: "bob".to_owned(), body: "x".to_owned(), kind: None, thread: None, ttl: None };
    assert_eq!(world.command(ALICE, send).unwrap_err().code(), "bond_held");
}

#[test]
fn a_code_that_comes_too_late_decides_nothing() {
    let mut world = World::new(true);
    world.pair(Form::Words);
    let bond = world.hosts[ALICE].engine.bonds()[0].id.clone();
    let asked = world.command(ALICE, Command::Verify { bond, number: "1 2 3".to_owned() }).unwrap();
    let pending = asked.pending.unwrap();
    let code = world.hosts[ALICE].codes[&pending].0.clone();
    // The machine slept for longer than the question was open: no timer has taken it off yet.
    world.now += 25 * 3_600_000;
    assert_eq!(world.command(ALICE, decide(&pending, code)).unwrap_err().code(), "pending_not_found");
    assert_eq!(world.hosts[ALICE].engine.bonds()[0].verification, None);
}

#[test]
fn a_wrong_code_is_told_to_both_and_burns_the_invite() {
    let mut world = World::new(true);
    let (_, code) = world.invite(Form::Words);
    let (head, _) = code.rsplit_once('-').unwrap();
    let wrong = if code.ends_with("-aardvark") { format!("{head}-zucchini") } else { format!("{head}-aardvark") };
    world.join(&wrong).unwrap();
    world.pass(2_000);
    assert_eq!(world.outcome(ALICE).as_deref(), Some("pake_failed"));
    assert_eq!(world.outcome(BOB).as_deref(), Some("pake_failed"));
    assert!(world.hosts.iter().all(|h| h.engine.bonds().is_empty() && h.engine.pendings().is_empty()));
    assert_eq!(world.join(&code).unwrap_err().code(), "code_spent");
    assert!(world.hosts.iter().all(|h| !h.records.keys().any(|key| key.starts_with("secret_pairing/"))));
}

#[test]
fn a_word_outside_the_list_costs_no_guess() {
    let mut world = World::new(true);
    let (_, code) = world.invite(Form::Words);
    let sent = world.relay.seen.len();
    let failure = world.join(&format!("{code}x")).unwrap_err();
    assert_eq!(failure.code(), "code_word_unknown");
    assert!(failure.detail().contains(code.rsplit('-').next().unwrap()), "{failure}");
    assert_eq!(world.relay.seen.len(), sent);
    world.join(&code).unwrap();
    world.decide_all(BOB, true);
    world.pass(5_000);
    assert_eq!(world.status(ALICE), Some(BondStatus::Active));
}

#[test]
fn the_joiners_human_may_refuse() {
    let mut world = World::new(true);
    let (_, code) = world.invite(Form::Words);
    world.join(&code).unwrap();
    world.decide_all(BOB, false);
    world.pass(2_000);
    assert_eq!(world.outcome(ALICE).as_deref(), Some("rejected"));
    assert_eq!(world.outcome(BOB).as_deref(), Some("approval_declined"));
    assert!(world.hosts.iter().all(|h| h.engine.bonds().is_empty()));
}

#[test]
fn a_taken_name_is_drawn_again_with_another_secret() {
    let mut world = World::new(true);
    world.relay.taken = (10..100).map(|n| format!("w{n}")).collect();
    let (_, code) = world.invite(Form::Words);
    assert!(code.split('-').next().unwrap().len() > 2, "{code}");
}

#[test]
fn a_stranger_who_claims_a_spoken_name_is_answered_with_a_link() {
    let mut world = World::new(true);
    let (pairing, code) = world.invite(Form::Words);
    let name = format!("w{}", code.split('-').next().unwrap());
    world.relay.request("POST", &format!("/invite/{name}/claim"), &[], "{\"claim_id\":\"stranger\"}", world.now);
    world.pass(400_000);
    let replaced = world.hosts[ALICE].events().find_map(|event| match event {
        Event::PairingEnded { pairing: id, outcome, replaced_by } if *id == pairing => {
            Some((outcome.clone(), replaced_by.clone()))
        }
        _ => None,
    });
    let (outcome, next) = replaced.expect("the pairing ended");
    assert_eq!(outcome, "claimed_by_stranger");
    let next = next.expect("a link takes its place");
    let view = world.hosts[ALICE].engine.pairings().into_iter().find(|p| p.id == next).unwrap();
    let link = view.code.expect("it is published");
    world.join(&link).unwrap();
    world.decide_all(BOB, true);
    world.pass(5_000);
    assert_eq!(world.status(ALICE), Some(BondStatus::Active));
}

#[test]
fn a_second_message_in_the_slot_is_not_believed() {
    let mut world = World::new(true);
    let (_, code) = world.invite(Form::Words);
    world.join(&code).unwrap();
    world.relay.overwrite_slot("{\"phase\":\"confirm\",\"fingerprint\":\"00\",\"agentId\":\"x\"}");
    world.pass(3_000);
    world.decide_all(BOB, true);
    world.pass(400_000);
    assert!(world.hosts.iter().all(|h| h.engine.bonds().iter().all(|b| b.status != BondStatus::Active)));
}

#[test]
fn pairing_survives_lost_answers_and_restarts_at_every_point() {
    for lossy in [ALICE, BOB] {
        let mut world = World::new(true);
        let (_, code) = world.invite(Form::Words);
        world.hosts[lossy].lose_answers = true;
        world.join(&code).unwrap();
        world.pass(2_000);
        world.restart(lossy);
        world.hosts[lossy].lose_answers = false;
        world.pass(30_000);
        world.decide_all(BOB, true);
        world.hosts[lossy].lose_answers = true;
        world.pass(2_000);
        world.hosts[lossy].lose_answers = false;
        world.restart(1 - lossy);
        world.pass(60_000);
        for n in [ALICE, BOB] {
            assert_eq!(
                world.status(n),
                Some(BondStatus::Active),
                "lossy {lossy}, host {n}: {:?}",
                world.hosts[n].engine.pairings()
            );
        }
    }
}

#[test]
fn nothing_that_is_sent_holds_the_code() {
    let mut world = World::new(true);
    let (_, code) = world.invite(Form::Words);
    world.join(&code).unwrap();
    world.decide_all(BOB, true);
    world.pass(5_000);
    for text in &world.relay.seen {
        for word in code.split('-').skip(1) {
            assert!(!text.contains(word), "{word} in {text}");
        }
    }
}

#[test]
fn an_unused_invite_expires_and_a_withdrawn_one_is_dead() {
    let mut world = World::new(true);
    let (pairing, code) = world.invite(Form::Words);
    world.command(ALICE, Command::CancelPairing { pairing }).unwrap();
    assert_eq!(world.outcome(ALICE).as_deref(), Some("withdrawn"));
    world.join(&code).unwrap();
    assert_eq!(world.outcome(BOB).as_deref(), Some("invite_not_found"));
    let (_, _) = world.invite(Form::Link);
    world.pass(40 * 60_000);
    assert!(
        world.hosts[ALICE]
            .events()
            .any(|e| matches!(e, Event::PairingEnded { outcome, .. } if outcome == "invite_expired"))
    );
}
