//! Each message and each answer of the handshake lost, doubled and late in turn, from either side and from both; each
//! host dead before each effect; and a relay that does with a pairing what it likes.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test that panics has failed")]

use agentpair_protocol::bond::BondStatus;
use agentpair_protocol::pairing::code::Form;
use agentpair_simulation::pairing::{INITIATOR, JOINER, Paired, Pairing, count, pair};
use agentpair_simulation::plan::{Blow, Leg, Plan, Strike};

const HOSTS: [usize; 2] = [INITIATOR, JOINER];
const BLOWS: [Blow; 4] = [Blow::Drop, Blow::Double, Blow::Delay(2_000), Blow::Delay(40_000)];

fn strike(host: usize, leg: Leg, nth: u32, blow: Blow) -> Strike {
    Strike { host, leg, nth, blow }
}

/// How many of a kind there are until both bonds are active.
fn length(host: usize, leg: Leg) -> u32 {
    let mut pairing = Pairing::invite(Plan::calm(2, Vec::new()), Form::Words).unwrap();
    pairing.join(JOINER).unwrap();
    pairing.pass(15_000).unwrap();
    let length = count(&pairing.world, host, leg);
    assert!((5..60).contains(&length), "{leg:?} of host {host}: {length}");
    length
}

fn under(strikes: Vec<Strike>) -> Paired {
    let story = format!("{strikes:?}");
    pair(Plan::calm(2, strikes), Form::Words).unwrap_or_else(|broken| panic!("{broken} under {story}")).0
}

fn assert_whole(strikes: Vec<Strike>) {
    let story = format!("{strikes:?}");
    let paired = under(strikes);
    assert!(paired.is_whole(), "{paired:?} under {story}");
}

#[test]
fn a_pairing_survives_each_message_and_answer_lost_doubled_or_late() {
    for host in HOSTS {
        for leg in [Leg::Request, Leg::Answer] {
            for nth in 1..=length(host, leg) {
                for blow in BLOWS {
                    assert_whole(vec![strike(host, leg, nth, blow)]);
                }
            }
        }
    }
}

#[test]
fn a_pairing_survives_one_fault_on_both_sides() {
    let lengths = HOSTS.map(|host| length(host, Leg::Answer));
    for of_initiator in 1..=lengths[INITIATOR] {
        for of_joiner in 1..=lengths[JOINER] {
            // One kind for each pair of places, so that all kinds meet in the end.
            let blow = BLOWS[(of_initiator + of_joiner) as usize % 3];
            assert_whole(vec![
                strike(INITIATOR, Leg::Answer, of_initiator, blow),
                strike(JOINER, Leg::Answer, of_joiner, blow),
            ]);
        }
    }
}

#[test]
fn a_host_that_dies_before_any_effect_of_a_pairing_goes_on_where_it_was() {
    for host in HOSTS {
        for nth in 1..=length(host, Leg::Effect) {
            // It is down for less than the session lives, mostly; where it is not, nothing is half done.
            let paired = under(vec![strike(host, Leg::Effect, nth, Blow::Crash)]);
            assert!(paired.is_whole() || paired.is_nothing(), "effect {nth} of host {host}: {paired:?}");
        }
    }
}

#[test]
fn a_relay_that_refuses_at_will_leaves_nothing_half_done() {
    let refusals =
        [(409, "invite_taken"), (409, "envelope_id_collision"), (404, "pair_not_found"), (410, "pair_session_lost")];
    for host in HOSTS {
        for nth in 1..=length(host, Leg::Request) {
            for (status, code) in refusals {
                let paired = under(vec![strike(host, Leg::Request, nth, Blow::Refuse(status, code))]);
                assert!(paired.is_whole() || paired.is_nothing(), "{code} to request {nth} of host {host}: {paired:?}");
            }
        }
    }
}

#[test]
fn a_relay_that_feeds_a_second_message_gets_no_bond_and_no_second_guess() {
    let pake = "{\"phase\":\"pake\",\"payload\":\"QgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\",\"role\":\"joiner\"}";
    for message in [pake, "{\"phase\":\"bond_fail\"}", "{\"phase\":\"reject\",\"reason\":\"no\"}", "{}", "not json"] {
        for after_ms in [0, 50, 100, 200, 300, 500, 800, 1_200, 2_000, 4_000] {
            let mut pairing = Pairing::invite(Plan::calm(2, Vec::new()), Form::Words).unwrap();
            pairing.join(JOINER).unwrap();
            pairing.pass(after_ms).unwrap();
            pairing.overwrite_slots(message.as_bytes());
            let (paired, _) = pairing.end().unwrap();
            assert!(paired.is_whole() || paired.is_nothing(), "{message} after {after_ms} ms: {paired:?}");
        }
    }
}

#[test]
fn a_code_that_the_relay_offers_again_bonds_nobody_twice() {
    for after_ms in [0, 100, 300, 1_000, 3_000, 30_000] {
        let mut pairing = Pairing::invite(Plan::calm(3, Vec::new()), Form::Words).unwrap();
        pairing.join(JOINER).unwrap();
        pairing.pass(after_ms).unwrap();
        pairing.offer_again();
        pairing.join(2).unwrap();
        let (paired, _) = pairing.end().unwrap();
        let living = |bonds: &Vec<BondStatus>| bonds.iter().filter(|status| **status == BondStatus::Active).count();
        assert!(living(&paired.bonds[INITIATOR]) <= 1, "{paired:?}");
        assert_eq!(living(&paired.bonds[JOINER]) + living(&paired.bonds[2]), living(&paired.bonds[INITIATOR]));
    }
}

#[test]
fn after_a_failed_pairing_the_next_one_succeeds() {
    let mut pairing = Pairing::invite(Plan::calm(2, Vec::new()), Form::Words).unwrap();
    pairing.mishear();
    pairing.join(JOINER).unwrap();
    pairing.pass(600_000).unwrap();
    let mut pairing = pairing.again(Form::Link).unwrap();
    pairing.join(JOINER).unwrap();
    let (paired, _) = pairing.end().unwrap();
    for bonds in &paired.bonds {
        assert_eq!(bonds.iter().filter(|status| **status == BondStatus::Active).count(), 1, "{paired:?}");
    }
}
