use agentpair_protocol::engine::{Command, Event};
use agentpair_protocol::pairing::code::Form;

use super::world::{ALICE, BOB, World};

fn send(world: &mut World, body: &str) -> Result<(), &'static str> {
    let command = Command::Send {
        bond: "bob".to_owned(),
        body: body.to_owned(),
        kind: None,
        thread: Some("t".to_owned()),
        ttl: None,
    };
    world.command(ALICE, command).map(|_| ()).map_err(|failure| failure.code())
}

#[test]
fn the_sender_learns_when_the_peers_agent_looked() {
    let mut world = World::new(true);
    world.pair(Form::Words);
    send(&mut world, "hello").unwrap();
    world.pass(60_000);
    // Delivered to the host; nobody has looked.
    assert_eq!(world.hosts[ALICE].engine.bonds()[0].undelivered, 0);
    assert_eq!(world.hosts[ALICE].engine.bonds()[0].peer_looked_at, None);
    let up_to = world.hosts[BOB].engine.host().unwrap().feed;
    world.command(BOB, Command::Read { up_to }).unwrap();
    let looked = world.now;
    world.pass(10_000);
    assert_eq!(world.hosts[ALICE].engine.bonds()[0].peer_looked_at, Some(looked / 1_000 * 1_000));
    // The mark only rises, and not beyond what there is.
    world.command(BOB, Command::Read { up_to: 1 }).unwrap();
    assert_eq!(world.hosts[BOB].engine.host().unwrap().read, up_to);
    world.command(BOB, Command::Read { up_to: u64::MAX }).unwrap();
    assert_eq!(world.hosts[BOB].engine.host().unwrap().read, world.hosts[BOB].engine.host().unwrap().feed);
}

#[test]
fn a_braked_agent_writes_nothing_until_the_human_lets_it() {
    let mut world = World::new(true);
    world.pair(Form::Words);
    for n in 0..3 {
        send(&mut world, &format!("thanks {n}")).unwrap();
    }
    assert_eq!(world.hosts[ALICE].engine.bonds()[0].unattended, 3);
    let brake = || Command::Brake { bond: "bob".to_owned(), why: "it only says thanks".to_owned() };
    let pending = world.command(ALICE, brake()).unwrap().pending;
    assert_eq!(world.command(ALICE, brake()).unwrap().pending, pending);
    assert_eq!(send(&mut world, "thanks again"), Err("loop_brake"));
    world.restart(ALICE);
    assert_eq!(world.decide_all(ALICE, false), 1);
    assert_eq!(send(&mut world, "thanks again"), Err("loop_brake"));
    world.command(ALICE, brake()).unwrap();
    assert_eq!(world.decide_all(ALICE, true), 1);
    assert_eq!(world.hosts[ALICE].engine.bonds()[0].unattended, 0);
    send(&mut world, "thanks again").unwrap();
    world.pass(5_000);
    assert_eq!(world.hosts[BOB].messages().len(), 4);
}

#[test]
fn a_clock_that_differs_is_told_once() {
    let mut world = World::new(true);
    world.relay_date = Some(world.now - 600_000);
    world.pair(Form::Words);
    for body in ["a", "b", "c"] {
        send(&mut world, body).unwrap();
    }
    world.pass(2_000);
    let skews: Vec<i64> = world.hosts[ALICE]
        .events()
        .filter_map(|event| if let Event::ClockSkew { seconds, .. } = event { Some(*seconds) } else { None })
        .collect();
    assert_eq!(skews, [-600]);
}
