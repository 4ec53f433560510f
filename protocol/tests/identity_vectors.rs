//! `keys.json`, and the values that both humans compare (ID-1, ID-7, SAFE-1, SAFE-3).
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

mod support;

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::identity::AgentId;
use agentpair_protocol::safety::{keys_digest, safety_number};
use support::{array, key, known};

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
fn safety_number_and_keys_digest_are_those_of_another_implementation() {
    // Computed once with Python's argon2-cffi and hashlib from the definitions.
    let (alice, bob) = (key("alice"), key("bob"));
    let (alice, bob) = (alice.agent_id(), bob.agent_id());
    assert_eq!(safety_number(alice, bob).unwrap(), ["137109", "293580", "682142", "149023", "680629"]);
    let digest = "1d8677da1ec4ef2f8a016724899176e783986a2b4c8622cf526a2a66be64be35";
    assert_eq!(hex::encode(keys_digest(alice, bob)), digest);
    assert_eq!(hex::encode(keys_digest(bob, alice)), digest);
}
