use std::collections::BTreeMap;

use agentpair_protocol::bond::BondStatus;
use agentpair_protocol::engine::{Command, Event};
use agentpair_protocol::pairing::code::Form;

use super::negotiating::live;
use super::world::{ALICE, BOB, World};

fn send(body: &str, to: &str) -> Command {
    Command::Send { bond: to.to_owned(), body: body.to_owned(), kind: None, thread: Some("t".to_owned()), ttl: None }
}

/// What was ever put on the wire: (thread, seq) of each envelope of a host.
fn sent(world: &World) -> Vec<(String, u64, String)> {
    world.relay.posted()
}

fn restore(world: &mut World, n: usize, copy: BTreeMap<String, String>, says_so: bool) {
    world.hosts[n].records = copy;
    let audit: serde_json::Value = serde_json::from_str(&world.hosts[n].records["host/root"]).unwrap();
    let (feed, audit) = (audit["feed"].as_u64().unwrap(), audit["audit"]["n"].as_u64().unwrap());
    world.hosts[n].feed.truncate(usize::try_from(feed).unwrap());
    world.hosts[n].audit.truncate(usize::try_from(audit).unwrap());
    world.restart(n);
    if says_so {
        world.command(n, Command::Restored).unwrap();
    }
    world.pass(10_000);
}

#[test]
fn after_a_restored_backup_no_number_is_used_twice_and_the_peer_is_told() {
    let (mut world, thread) = live();
    world.command(ALICE, send("before", "bob")).unwrap();
    world.pass(5_000);
    let copy = world.hosts[ALICE].records.clone();
    for n in 0..20 {
        world.command(ALICE, send(&format!("after {n}"), "bob")).unwrap();
    }
    world.command(BOB, send("lost with the disk", "alice")).unwrap();
    world.pass(5_000);
    restore(&mut world, ALICE, copy, true);
    world.command(ALICE, send("again", "bob")).unwrap();
    world.pass(10_000);
    assert_eq!(world.hosts[BOB].messages().last(), Some(&"again"));
    assert_eq!(world.hosts[BOB].messages().len(), 22);
    assert!(world.hosts[BOB].events().any(|event| matches!(event, Event::PeerRestored { .. })));
    // The session that was open is over on both sides.
    assert_eq!((world.session(ALICE).status.as_str(), world.session(BOB).status.as_str()), ("ended", "ended"));
    assert_eq!(world.session(BOB).thread, thread);
    let sent = sent(&world);
    let mut numbers: Vec<(&String, &u64)> = sent.iter().map(|(key, seq, _)| (key, seq)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), sent.len(), "a sequence number was used for two envelopes");
}

#[test]
fn an_older_copy_that_nobody_announced_catches_up() {
    let mut world = World::new(true);
    world.pair(Form::Words);
    world.command(ALICE, send("before", "bob")).unwrap();
    world.pass(5_000);
    let copy = world.hosts[ALICE].records.clone();
    for n in 0..20 {
        world.command(ALICE, send(&format!("after {n}"), "bob")).unwrap();
    }
    world.pass(5_000);
    restore(&mut world, ALICE, copy, false);
    world.command(ALICE, send("again", "bob")).unwrap();
    world.pass(10_000);
    assert_eq!(world.hosts[BOB].messages().last(), Some(&"again"));
}

#[test]
fn a_pairing_under_way_is_given_up() {
    let mut world = World::new(true);
    let (_, code) = world.invite(Form::Words);
    let copy = world.hosts[ALICE].records.clone();
    restore(&mut world, ALICE, copy, true);
    assert_eq!(world.outcome(ALICE).as_deref(), Some("withdrawn"));
    world.join(&code).unwrap();
    world.pass(5_000);
    assert_eq!(world.status(ALICE), None);
    assert_ne!(world.status(BOB), Some(BondStatus::Active));
    assert!(!world.hosts[ALICE].records.keys().any(|key| key.starts_with("secret_pairing/")));
}
