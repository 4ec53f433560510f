use agentpair_protocol::engine::{Command, Event, Input};
use agentpair_protocol::pairing::code::Form;

use super::world::{ALICE, BOB, World};

/// More than the nonces that a host remembers of a bond.
const MANY: usize = 4_200;

fn send(thread: &str, body: &str) -> Command {
    let (bond, thread) = ("bob".to_owned(), Some(thread.to_owned()));
    Command::Send { bond, body: body.to_owned(), kind: None, thread, ttl: None }
}

/// What a relay replays is known by its nonce, or by its number once the nonce is forgotten. What it withheld for that
/// long could be either: it is too old, and its sender seals it again.
#[test]
fn w03_beyond_the_memory_for_nonces_nothing_is_heard_twice_or_lost() {
    let mut world = World::new(false);
    world.pair(Form::Link);
    world.input(BOB, Input::Network { online: false }).unwrap();
    world.command(ALICE, send("withheld", "withheld")).unwrap();
    let inbox = world.hosts[ALICE].engine.bonds()[0].peer.clone();
    assert_eq!(world.relay.rows(&inbox, 0).len(), 1);
    world.relay.trim(&inbox, u64::MAX);
    world.pass(1_000);
    world.input(BOB, Input::Network { online: true }).unwrap();

    let mut wanted: Vec<String> = (0..MANY).map(|n| format!("m{n}")).collect();
    for bodies in wanted.chunks(200) {
        for body in bodies {
            world.command(ALICE, send("t", body)).unwrap();
        }
        world.pass(20_000);
    }
    assert_eq!(world.hosts[BOB].messages(), wanted);
    world.relay.replay_all();
    world.pass(60_000);

    wanted.push("withheld".to_owned());
    assert_eq!(world.hosts[BOB].messages(), wanted);
    assert!(world.hosts[ALICE].engine.outbox().is_empty());
    let is_told = |host: usize| world.hosts[host].events().any(|event| matches!(event, Event::Refused { .. }));
    assert!(!is_told(ALICE) && !is_told(BOB), "a relay can cause as many of these as it likes");
    let keys = world.hosts[BOB].records.keys();
    let counted = |code: &str| keys.clone().any(|key| key.starts_with("rejected/") && key.contains(code));
    assert!(counted("/stale_timestamp/") && counted("/stale_seq/") && counted("/replayed_nonce/"));
}
