//! `keys.json`, and the values that both humans compare (ID-1, ID-7, SAFE-1, SAFE-3).
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

mod support;

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::base64url;
use agentpair_protocol::identity::{AgentId, IdentityFault, PREFIX};
use agentpair_protocol::safety::{keys_digest, safety_number};
use support::{array, bytes, key, known};

#[test]
fn seeds_give_the_known_keys_and_ids() {
    for name in ["alice", "bob"] {
        let (known, key) = (known(name), key(name));
        assert_eq!(key.agent_id().public_key(), &array::<32>(&known.public_key_hex));
        assert_eq!(key.agent_id().as_str(), known.agent_id);
        assert_eq!(AgentId::parse(&known.agent_id).unwrap().public_key(), key.agent_id().public_key());
        assert_eq!(format!("{key:?}"), format!("Keypair({})", known.agent_id), "no secret in the debug text");
    }
}

#[test]
fn keys_that_nobody_can_use_are_no_ids() {
    let parse = |hex: &str| AgentId::parse(&format!("{PREFIX}{}", base64url::encode(&bytes(hex)))).map(drop);
    let (zeros, ones) = ("00".repeat(30), "ff".repeat(30));
    assert_eq!(parse(&known("alice").public_key_hex), Ok(()));
    for (hex, why) in [
        (format!("0100{zeros}"), "the identity"),
        (format!("0000{zeros}"), "order 4"),
        (format!("ec{ones}7f"), "order 2"),
        ("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05".to_owned(), "order 8"),
        (format!("f0{ones}7f"), "y = 3, written as p + 3"),
        (format!("ee{ones}7f"), "the identity, written as p + 1"),
        (format!("0100{}80", "00".repeat(29)), "the identity with the sign bit of x = 0"),
        (format!("0200{zeros}"), "no point"),
    ] {
        assert_eq!(parse(&hex), Err(IdentityFault::Key), "{why}");
    }
    for length in [0, 31, 33, 64] {
        assert_eq!(parse(&"8a".repeat(length)), Err(IdentityFault::Encoding), "{length} bytes");
    }
    let good = &known("alice").agent_id;
    for text in [&good[8..], &good[1..], &good.to_uppercase(), "", "ed25519"] {
        assert_eq!(AgentId::parse(text), Err(IdentityFault::Prefix), "{text}");
    }
}

#[test]
fn safety_number_and_keys_digest_are_those_of_another_implementation() {
    // Computed once with Python's argon2-cffi and hashlib from the definitions.
    let (alice, bob) = (key("alice"), key("bob"));
    let (alice, bob) = (alice.agent_id(), bob.agent_id());
    assert_eq!(safety_number(alice, bob).unwrap(), ["137109", "293580", "682142", "149023", "680629"]);
    let digest = "1d8677da1ec4ef2f8a016724899176e783986a2b4c8622cf526a2a66be64be35";
    assert_eq!(hex::encode(keys_digest(alice, bob)), digest);
    assert_eq!(hex::encode(keys_digest(bob, alice)), digest);
}
