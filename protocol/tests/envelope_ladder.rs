//! Two faults in one envelope: the earlier step of the ladder names its error, whatever comes later
//! (ENV-10, up to the type; the relay's order of section 17.3).
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

mod support;

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use std::collections::BTreeSet;

use agentpair_protocol::envelope::Decoded;
use agentpair_protocol::error::Reject;
use serde_json::Value;
use support::faults::{FAULTS, Fault, Step};
use support::ladder::{receive, relay};
use support::letter::Letter;
use support::{fixture, key, parse};

fn with(faults: &[&Fault]) -> Letter {
    let mut letter = Letter::golden();
    faults.iter().for_each(|fault| (fault.apply)(&mut letter));
    letter
}

fn host_code(letter: &Letter) -> Option<String> {
    receive(letter.wire().as_bytes(), &letter.harness).err()
}

fn relay_code(letter: &Letter) -> Option<String> {
    relay(letter.wire().as_bytes(), &letter.harness).err()
}

/// Every pair of faults of different steps that fit into one envelope, the earlier first.
fn pairs() -> impl Iterator<Item = (&'static Fault, &'static Fault)> {
    FAULTS
        .iter()
        .flat_map(|a| FAULTS.iter().map(move |b| (a, b)))
        .filter(|(a, b)| a.step < b.step && !a.collides(b.touches))
}

#[test]
fn each_fault_alone_gets_the_error_of_its_step() {
    assert_eq!(host_code(&Letter::golden()), None);
    for fault in FAULTS {
        assert_eq!(host_code(&with(&[fault])).as_deref(), Some(fault.step.code()), "{}", fault.name);
    }
}

#[test]
fn of_two_faults_the_earlier_is_named() {
    let mut covered = BTreeSet::new();
    for (a, b) in pairs() {
        assert_eq!(host_code(&with(&[a, b])).as_deref(), Some(a.step.code()), "{} and {}", a.name, b.name);
        covered.insert((a.step, b.step));
    }
    assert_eq!(covered.len(), Step::ALL.len() * (Step::ALL.len() - 1) / 2, "a pair of steps has no pair of faults");
}

#[test]
fn healing_one_fault_after_the_other_shows_the_whole_ladder() {
    let of = |name: &str| FAULTS.iter().find(|fault| fault.name == name).unwrap();
    let staircase = [
        "one byte too long",
        "cut off",
        "outer v 2",
        "blob padded",
        "id missing",
        "body v 2",
        "not bonded",
        "sig of 63 bytes",
        "outer to altered",
        "seen already",
        "ttl 0",
        "tag altered",
        "refused by the dispatch",
    ]
    .map(of);
    assert_eq!(staircase.map(|fault| fault.step), Step::ALL);
    for first in 0..staircase.len() {
        let rest = &staircase[first..];
        assert_eq!(host_code(&with(rest)).as_deref(), Some(rest[0].step.code()), "{}", rest[0].name);
    }
}

#[test]
fn the_relay_judges_in_its_own_order_and_nothing_that_needs_a_bond() {
    for fault in FAULTS {
        let want = fault.step.at_relay().map(|_| fault.step.code());
        let got = relay_code(&with(&[fault]));
        match fault.name {
            // No relay knows bonds: to it this is an address that differs from the outer one.
            "alias of the sender" => assert_eq!(got.as_deref(), Some("routing_mismatch")),
            name => assert_eq!(got.as_deref(), want, "{name}"),
        }
    }
    for (a, b) in pairs() {
        let (Some(at_a), Some(at_b)) = (a.step.at_relay(), b.step.at_relay()) else { continue };
        let earlier = if at_a < at_b { a } else { b };
        assert_eq!(relay_code(&with(&[a, b])).as_deref(), Some(earlier.step.code()), "{} and {}", a.name, b.name);
    }
}

#[test]
fn a_bond_is_with_one_peer() {
    let wire = Letter::golden().wire();
    for (peer, verdict) in [("alice", None), ("bob", Some(Reject::RecipientNotAllowed))] {
        let id = key(peer).agent_id().clone();
        let decoded = Decoded::from_wire(wire.as_bytes()).unwrap();
        assert_eq!(decoded.bonded(Some(&id)).err(), verdict, "{peer}");
    }
    assert_eq!(Decoded::from_wire(wire.as_bytes()).unwrap().bonded(None).err(), Some(Reject::RecipientNotAllowed));
}

/// The step of a fixture's case, and the part of the envelope that the case has broken.
fn broken(name: &str) -> (Step, &'static [&'static str]) {
    match name {
        "unsupported_version" => (Step::OuterVersion, &["outer.v"]),
        "invalid_json" => (Step::Text, &["text"]),
        "tampered_sig" => (Step::Signature, &["sig"]),
        "routing_mismatch" => (Step::Routing, &["outer.to"]),
        "version_mismatch" => (Step::BodyVersion, &["body.v"]),
        "envelope_expired" => (Step::Expiry, &["ttl"]),
        "stale_seq" => (Step::Seq, &["last"]),
        "recipient_not_allowed" => (Step::Bond, &["bond"]),
        "invalid_payload" => (Step::Payload, &["payload"]),
        "unsupported_envelope_type" => (Step::Dispatch, &["dispatch"]),
        "envelope_too_large" => (Step::Size, &["size"]),
        other => unreachable!("unknown case {other}"),
    }
}

#[test]
fn every_negative_envelope_with_a_second_fault() {
    let file: Value = parse(fixture!("agentpair-1.0-draft/envelope-negative.json"));
    let mut tried = 0;
    for case in file["cases"].as_array().unwrap() {
        let (step, parts) = broken(case["name"].as_str().unwrap());
        assert_eq!(case["expect"], step.code());
        let harness: support::ladder::Harness = serde_json::from_value(case["harness"].clone()).unwrap();
        let letter = match case["wire"].as_str() {
            // Not JSON: there is nothing to take apart, the whole text stands in for the wire.
            Some(_) if step == Step::Text => {
                Letter { edit_text: |_| r#"{"v":1,"from":"incomplete""#.to_owned(), harness, ..Letter::golden() }
            }
            Some(wire) => Letter::of(wire, harness),
            None => Letter { size: Some(65_537), harness, ..Letter::golden() },
        };
        if let Some(wire) = case["wire"].as_str() {
            assert_eq!(letter.wire(), wire);
        }
        for fault in FAULTS.iter().filter(|fault| fault.step != step && !fault.collides(parts)) {
            // A text that breaks off holds no second fault; only its size and its surroundings can.
            if step == Step::Text && !fault.collides(&["size", "bond", "last", "dispatch"]) {
                continue;
            }
            let mut both = letter.clone();
            (fault.apply)(&mut both);
            let want = step.min(fault.step).code();
            assert_eq!(host_code(&both).as_deref(), Some(want), "{} and {}", case["name"], fault.name);
            tried += 1;
        }
    }
    assert!(tried > 400, "{tried}");
}
