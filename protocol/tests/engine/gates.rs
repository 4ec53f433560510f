use agentpair_protocol::engine::Command;
use agentpair_protocol::gate::Decision;
use chacha20::ChaCha20Rng;
use rand_core::SeedableRng as _;

use super::negotiating::signed;
use super::world::{ALICE, BOB, World, decide};

const PIN: &str = "correct horse";

/// Sets, changes or removes the PIN of a host.
fn set_pin(world: &mut World, n: usize, pin: Option<&str>, current: Option<&str>) -> Result<(), &'static str> {
    let mut rng = ChaCha20Rng::from_seed([world.hosts[n].audit.len().to_le_bytes()[0]; 32]);
    let command = world.hosts[n].engine.approver_command(pin, current, &mut rng).map_err(|f| f.code())?;
    world.command(n, command).map_err(|f| f.code())?;
    world.pass(3_000);
    Ok(())
}

/// The first question that waits, with its codes.
fn question(world: &World, n: usize) -> (String, String, String) {
    let pending = world.hosts[n].engine.pendings().remove(0).id;
    let (yes, no) = world.hosts[n].codes[&pending].clone();
    (pending, yes, no)
}

fn with_proof(pending: &str, code: String, proof: Option<String>) -> Command {
    match decide(pending, code) {
        Command::Decide { pending, code, channel, reason, decision, .. } => {
            Command::Decide { pending, code, channel, reason, decision, proof }
        }
        other => other,
    }
}

#[test]
fn a_code_that_stands_for_the_other_decision_is_wrong() {
    let (mut world, ..) = signed();
    let (pending, yes, no) = question(&world, ALICE);
    for (code, said) in [(&yes, Decision::Reject), (&no, Decision::Approve)] {
        let Command::Decide { pending, code, channel, reason, .. } = decide(&pending, code.clone()) else {
            unreachable!()
        };
        let command = Command::Decide { pending, code, channel, reason, decision: Some(said), proof: None };
        let reply = world.command(ALICE, command).unwrap();
        assert_eq!((reply.decision, reply.wrong.as_deref()), (None, Some("code")));
    }
    assert_eq!(world.hosts[ALICE].engine.pendings().len(), 1);
}

#[test]
fn with_a_pin_no_code_alone_decides_and_the_peer_takes_nothing_without_it() {
    let (mut world, thread, _) = signed();
    set_pin(&mut world, ALICE, Some(PIN), None).unwrap();
    assert!(world.hosts[BOB].engine.bonds()[0].peer_approver.is_some());
    let (pending, yes, _) = question(&world, ALICE);
    assert_eq!(world.command(ALICE, decide(&pending, yes.clone())).unwrap_err().code(), "pin_required");
    assert_eq!(world.hosts[ALICE].engine.prove(&pending, &yes, "incorrect horse"), None);
    assert_eq!(world.hosts[ALICE].engine.prove(&pending, "000000", PIN), None);
    let wrong = world.command(ALICE, with_proof(&pending, yes.clone(), Some(String::new()))).unwrap();
    assert_eq!((wrong.attempts_left, wrong.wrong.as_deref()), (Some(4), Some("pin")));
    let proof = world.hosts[ALICE].engine.prove(&pending, &yes, PIN);
    assert!(proof.is_some());
    world.command(ALICE, with_proof(&pending, yes, proof)).unwrap();
    world.pass(3_000);
    assert!(world.session(BOB).ratified_by_peer.is_some());
    assert_eq!(world.decide_all(BOB, true), 1);
    world.pass(3_000);
    assert!(world.hosts[ALICE].engine.receipt("bob", &thread).is_some());
}

#[test]
fn whoever_writes_into_the_store_forges_no_ratification_that_the_peer_takes() {
    let (mut world, ..) = signed();
    set_pin(&mut world, ALICE, Some(PIN), None).unwrap();
    // The approver is taken out of the store, as a model with a shell could do.
    let mut host: serde_json::Value = serde_json::from_str(&world.hosts[ALICE].records["host/root"]).unwrap();
    host["approver"] = serde_json::Value::Null;
    world.hosts[ALICE].records.insert("host/root".to_owned(), host.to_string());
    world.restart(ALICE);
    world.settle();
    let (pending, yes, _) = question(&world, ALICE);
    world.command(ALICE, decide(&pending, yes)).unwrap();
    world.pass(3_000);
    assert!(world.session(ALICE).ratified_by_me.is_some());
    assert!(world.session(BOB).ratified_by_peer.is_none());
    world.decide_all(BOB, true);
    world.pass(60_000);
    assert_ne!(world.session(BOB).status, "agreed");
    assert!(world.hosts[BOB].engine.receipt("alice", &world.session(BOB).thread).is_none());
    // Nor can it put another approver in its place.
    set_pin(&mut world, ALICE, Some("another horse"), None).unwrap();
    let known = world.hosts[BOB].engine.bonds()[0].peer_approver.clone();
    assert_ne!(known, world.hosts[ALICE].engine.host().unwrap().approver);
}

#[test]
fn a_pin_gives_way_to_another_one_or_to_none_only_if_it_is_known() {
    let (mut world, ..) = signed();
    assert_eq!(set_pin(&mut world, ALICE, Some("short"), None), Err("invalid_argument"));
    set_pin(&mut world, ALICE, Some(PIN), None).unwrap();
    let first = world.hosts[BOB].engine.bonds()[0].peer_approver.clone();
    assert_eq!(set_pin(&mut world, ALICE, None, None), Err("pin_required"));
    assert_eq!(set_pin(&mut world, ALICE, Some("another horse"), Some("a wrong horse")), Err("invalid_pin"));
    let forged = Command::Approver { approver: None, proof: Some("AAAA".to_owned()) };
    assert_eq!(world.command(ALICE, forged).unwrap_err().code(), "invalid_pin");
    set_pin(&mut world, ALICE, Some("another horse"), Some(PIN)).unwrap();
    let second = world.hosts[BOB].engine.bonds()[0].peer_approver.clone();
    assert!(second.is_some() && second != first);
    set_pin(&mut world, ALICE, None, Some("another horse")).unwrap();
    assert_eq!(world.hosts[BOB].engine.bonds()[0].peer_approver, None);
    assert_eq!(world.decide_all(ALICE, true), 1);
    world.pass(3_000);
    assert!(world.session(BOB).ratified_by_peer.is_some());
}
