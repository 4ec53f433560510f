//! RAT-1: the digest of an agreement.

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::negotiation::{Agreement, Deliverable};
use serde_json::{Value, json};

use super::support::array;
use super::{cases, keys, own, text};

fn digest(case: &Value) -> (String, String) {
    let deliverable: Deliverable = serde_json::from_value(case["deliverable"].clone()).unwrap();
    assert_eq!(deliverable.check(), Ok(()));
    let described = deliverable.describe();
    let agreement = Agreement {
        thread: text(case, "thread"),
        initiator: text(case, "initiator"),
        recipient: text(case, "recipient"),
        terms: &array(text(case, "terms")),
        deliverable: &described,
        supersedes: text(case, "supersedes"),
    };
    (described.sha256.clone(), hex::encode(agreement.digest().unwrap()))
}

fn file() -> Value {
    let [alice, bob, _] = keys();
    let plain = |name: &str| {
        json!({
            "name": name,
            "thread": "t",
            "initiator": alice.agent_id().as_str(),
            "recipient": bob.agent_id().as_str(),
            "terms": "07".repeat(32),
            "deliverable": { "kind": "json", "media_type": "application/json", "name": "a.json", "text": "{}" },
            "supersedes": "",
        })
    };
    let mut list = Vec::new();
    let mut add = |name: &str, edit: fn(&mut Value)| {
        let mut case = plain(name);
        edit(&mut case);
        let (sha256, digest) = digest(&case);
        case["sha256"] = sha256.into();
        case["digest"] = digest.into();
        list.push(case);
    };
    add("plain", |_| {});
    add("another_thread", |case| case["thread"] = "ümläut/…".into());
    add("another_direction", |case| {
        let (one, other) = (case["initiator"].clone(), case["recipient"].clone());
        (case["initiator"], case["recipient"]) = (other, one);
    });
    add("other_terms", |case| case["terms"] = "08".repeat(32).into());
    add("another_kind", |case| case["deliverable"]["kind"] = "text".into());
    add("another_media_type", |case| case["deliverable"]["media_type"] = "text/plain".into());
    add("another_name", |case| case["deliverable"]["name"] = "b.json".into());
    add("another_text", |case| case["deliverable"]["text"] = "{\"é\":[1]}\n".into());
    add("superseding", |case| case["supersedes"] = "ab".repeat(32).into());
    json!({ "cases": list })
}

#[test]
fn every_part_of_an_agreement_is_in_its_digest() {
    let file = own!("agreement", file());
    let mut seen = std::collections::BTreeSet::new();
    for (name, case) in cases(&file, "cases") {
        let (sha256, digest) = digest(case);
        assert_eq!((sha256.as_str(), digest.as_str()), (text(case, "sha256"), text(case, "digest")), "{name}");
        assert!(seen.insert(digest), "{name} has the digest of another case");
    }
}
