//! SAFE-1, SAFE-3: the number that humans compare, and the digest for machines.

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::identity::{AgentId, Keypair};
use agentpair_protocol::safety::{keys_digest, safety_number};
use serde_json::{Value, json};

use super::{cases, keys, own, text};

fn case(name: &str, one: &Keypair, other: &Keypair) -> Value {
    let (one, other) = (one.agent_id(), other.agent_id());
    json!({
        "name": name,
        "one": one.as_str(),
        "other": other.as_str(),
        "keysDigest": hex::encode(keys_digest(one, other)),
        "safetyNumber": safety_number(one, other).unwrap(),
    })
}

fn file() -> Value {
    let [alice, bob, mallory] = keys();
    json!({ "cases": [case("alice_bob", &alice, &bob), case("mallory_alice", &mallory, &alice)] })
}

#[test]
fn both_sides_see_the_stored_number() {
    let file = own!("safety-number", file());
    for (name, case) in cases(&file, "cases") {
        let [one, other] = ["one", "other"].map(|key| AgentId::parse(text(case, key)).unwrap());
        assert_eq!(hex::encode(keys_digest(&other, &one)), case["keysDigest"], "{name}");
        assert_eq!(json!(safety_number(&other, &one).unwrap()), case["safetyNumber"], "{name}");
    }
}
