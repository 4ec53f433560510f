//! The bindings as JavaScript sees them: bytes in and out, errors with a code and a blame.
#![cfg(target_family = "wasm")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

use agentpair_wasm::code::parse_code;
use agentpair_wasm::error::CodedError;
use agentpair_wasm::identity::{AgentId, Identity};
use agentpair_wasm::pair_key::PairKey;
use agentpair_wasm::safety::{keys_digest, safety_number};
use agentpair_wasm::spake::Spake;
use agentpair_wasm::vault::{open_box, seal_box, stretch};
use js_sys::{Object, Reflect, Uint8Array};
use serde_json::Value;
use tsify::Ts;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

const ENVELOPE: &str = include_str!("../../fixtures/agentpair-1.0-draft/envelope-core-msg.json");
const NEGATIVE: &str = include_str!("../../fixtures/agentpair-1.0-draft/envelope-negative.json");
const KEYS: &str = include_str!("../../fixtures/agentpair-1.0-draft/keys.json");
const NOW: f64 = 1_767_200_000.0;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn identity(name: &str) -> Identity {
    let seed = hex::decode(json(KEYS)[name]["secretKeyHex"].as_str().unwrap()).unwrap();
    Identity::from_seed(seed).unwrap()
}

fn pair_key(own: &str, peer: &str) -> PairKey {
    PairKey::derive(&identity(own), &identity(peer).agent_id()).unwrap()
}

fn seal(key: &PairKey, plaintext: &[u8]) -> Result<Vec<u8>, CodedError> {
    key.seal("id", "core.msg", "thread", 1.0, NOW + 1.0, plaintext, None, None)
}

fn get(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap()
}

fn text(object: &JsValue, name: &str) -> String {
    get(object, name).as_string().unwrap()
}

/// What a thrown error says: code and blame.
fn said<T>(result: Result<T, CodedError>) -> (String, String) {
    let error = JsValue::from(result.err().unwrap());
    assert!(error.is_instance_of::<js_sys::Error>());
    let (code, blame) = (text(&error, "code"), text(&error, "blame"));
    assert!(text(&error, "message").starts_with(&code));
    (code, blame)
}

fn says(code: &str, blame: &str) -> (String, String) {
    (code.to_owned(), blame.to_owned())
}

#[wasm_bindgen_test]
fn identities_are_those_of_the_fixture() {
    for name in ["alice", "bob"] {
        assert_eq!(identity(name).agent_id(), json(KEYS)[name]["agentId"]);
    }
    let id = AgentId::parse(&identity("alice").agent_id()).unwrap();
    let signature = identity("alice").sign(b"text");
    assert!(id.verify(b"text", &signature));
    assert!(!id.verify(b"texT", &signature) && !id.verify(b"text", &signature[..63]) && !id.verify(b"text", b""));
    assert_eq!(id.text(), identity("alice").agent_id());
    assert_eq!(said(Identity::from_seed(vec![1; 31])), says("invalid_argument", "caller"));
    assert_eq!(said(AgentId::parse("ed25519:x")), says("invalid_argument", "caller"));
    assert_eq!(said(PairKey::derive(&identity("alice"), "x")), says("invalid_argument", "caller"));
}

#[wasm_bindgen_test]
fn the_drafts_envelope_opens_into_plain_objects() {
    let wire = json(ENVELOPE)["expected"]["wire"].as_str().unwrap().to_owned();
    let opened = JsValue::from(pair_key("bob", "alice").open(wire.as_bytes(), 0.0, NOW).unwrap());
    let plaintext: Uint8Array = get(&opened, "plaintext").dyn_into().unwrap();
    assert_eq!(plaintext.to_vec(), b"{\"body\":\"hello\"}");
    let headers = get(&opened, "headers");
    for (ours, drafts) in [("id", "id"), ("type", "type"), ("thread", "thread")] {
        assert_eq!(text(&headers, ours), json(ENVELOPE)[drafts]);
    }
    assert_eq!(text(&headers, "from"), identity("alice").agent_id());
    assert_eq!(text(&headers, "to"), identity("bob").agent_id());
    assert_eq!((get(&headers, "seq").as_f64(), get(&headers, "ttl").as_f64()), (Some(1.0), Some(1_767_203_600.0)));
    assert!(get(&headers, "ts").is_undefined() && get(&headers, "prev").is_undefined());
    assert_eq!(Object::keys(headers.unchecked_ref::<Object>()).length(), 7);
}

#[wasm_bindgen_test]
fn negative_envelopes_throw_their_code() {
    let key = pair_key("bob", "alice");
    let mut thrown = 0;
    for case in json(NEGATIVE)["cases"].as_array().unwrap() {
        let (name, harness) = (case["name"].as_str().unwrap(), &case["harness"]);
        // A pair key is a bond, and knows no types: these two are the engine's to judge.
        if ["recipient_not_allowed", "unsupported_envelope_type"].contains(&name) {
            continue;
        }
        let wire = case["wire"].as_str().map_or_else(|| " ".repeat(65_537), str::to_owned);
        let last = harness["lastAcceptedSeq"].as_f64().unwrap();
        let code = case["expect"].as_str().unwrap();
        assert_eq!(said(key.open(wire.as_bytes(), last, NOW)), says(code, "peer"), "{name}");
        thrown += 1;
    }
    assert_eq!(thrown, 9);
    let stranger = seal(&pair_key("bob", "alice"), b"{}").unwrap();
    assert_eq!(said(key.open(&stranger, 0.0, NOW)), says("recipient_not_allowed", "peer"));
}

#[wasm_bindgen_test]
fn what_is_sealed_opens_and_nonces_are_fresh() {
    let (alice, bob) = (pair_key("alice", "bob"), pair_key("bob", "alice"));
    // More than one pool of randomness: 4,096 bytes of it are 128 seeds.
    let mut wires = std::collections::BTreeSet::new();
    for _ in 0..300 {
        assert!(wires.insert(seal(&alice, b"{}").unwrap()), "the same envelope twice");
    }
    for wire in wires {
        bob.open(&wire, 0.0, NOW).unwrap();
    }
    let stamped = alice.seal("id", "core.msg", "t", 2.0, NOW + 1.0, b"\xff\0", Some(5.0), Some(1.0)).unwrap();
    let opened = JsValue::from(bob.open(&stamped, 1.0, NOW).unwrap());
    assert_eq!(get(&opened, "plaintext").unchecked_into::<Uint8Array>().to_vec(), b"\xff\0");
    let headers = get(&opened, "headers");
    assert_eq!((get(&headers, "ts").as_f64(), get(&headers, "prev").as_f64()), (Some(5.0), Some(1.0)));
}

#[wasm_bindgen_test]
fn arguments_that_can_never_be_right_are_refused() {
    let key = pair_key("alice", "bob");
    for bad in [-1.0, 0.5, f64::NAN, f64::INFINITY, 9_007_199_254_740_992.0] {
        let wrong = says("invalid_argument", "caller");
        assert_eq!(said(key.seal("i", "t", "t", bad, NOW, b"", None, None)), wrong);
        assert_eq!(said(key.seal("i", "t", "t", 1.0, bad, b"", None, None)), wrong);
        assert_eq!(said(key.seal("i", "t", "t", 1.0, NOW, b"", Some(bad), Some(0.0))), wrong);
        assert_eq!(said(key.open(b"{}", bad, NOW)), wrong);
        assert_eq!(said(key.open(b"{}", 0.0, bad)), wrong);
    }
    assert_eq!(said(key.seal("i", "t", "t", 1.0, NOW, b"", Some(1.0), None)), says("invalid_argument", "caller"));
    assert_eq!(said(seal(&key, &[b'x'; 40_000])), says("payload_too_large", "policy"));
}

#[wasm_bindgen_test]
fn codes_are_read_and_typos_named() {
    let parsed = JsValue::from(parse_code(" 42 Oasis AARDVARK zucchini ").unwrap());
    assert_eq!((text(&parsed, "form"), text(&parsed, "name")), ("words".to_owned(), "w42".to_owned()));
    assert!(get(&parsed, "relay").is_undefined());
    assert!(!format!("{:?}", js_sys::JSON::stringify(&parsed)).contains("oasis"), "the secret stays inside");
    assert_eq!(said(parse_code("hello")), says("code_malformed", "policy"));
    let unknown = JsValue::from(parse_code("42-oasis-aardvrak-zucchini").err().unwrap());
    assert_eq!(text(&unknown, "code"), "code_word_unknown");
    assert!(text(&unknown, "message").contains("word 2") && text(&unknown, "message").contains("aardvark"));
}

#[wasm_bindgen_test]
fn both_sides_compare_the_same() {
    let (alice, bob) = (identity("alice").agent_id(), identity("bob").agent_id());
    let number = safety_number(&alice, &bob).unwrap();
    assert_eq!(number, ["137109", "293580", "682142", "149023", "680629"]);
    assert_eq!(safety_number(&bob, &alice).unwrap(), number);
    assert_eq!(
        hex::encode(keys_digest(&bob, &alice).unwrap()),
        "1d8677da1ec4ef2f8a016724899176e783986a2b4c8622cf526a2a66be64be35"
    );
    assert_eq!(said(safety_number(&alice, "x")), says("invalid_argument", "caller"));
}

#[wasm_bindgen_test]
fn key_agreement_agrees() {
    let start = |role: &str, seed: &[u8]| Spake::start(&Ts::new_unchecked(role.into()), "code".to_owned(), "s", seed);
    let (a, b) = (start("initiator", &[1; 32]).unwrap(), start("joiner", &[2; 32]).unwrap());
    let (from_a, from_b) = (a.message(), b.message());
    assert_eq!(a.finish(&from_b).unwrap(), b.finish(&from_a).unwrap());
    assert_eq!(said(start("initiator", &[1; 32]).unwrap().finish(&from_a)), says("pake_failed", "peer"));
    assert_eq!(said(start("neither", &[1; 32])), says("invalid_argument", "caller"));
    assert_eq!(said(start("joiner", &[1; 31])), says("invalid_argument", "caller"));
}

#[wasm_bindgen_test]
fn a_box_opens_under_its_key_and_context_only() {
    let key = stretch("correct horse".to_owned(), &[1; 16]).unwrap();
    let other = stretch("correct horse".to_owned(), &[2; 16]).unwrap();
    let sealed = seal_box(&key, "secret/root", b"seed").unwrap();
    assert_eq!(open_box(&key, "secret/root", &sealed).unwrap(), b"seed");
    assert_eq!(said(open_box(&other, "secret/root", &sealed)), says("cannot_open", "caller"));
    assert_eq!(said(open_box(&key, "secret/other", &sealed)), says("cannot_open", "caller"));
    assert_eq!(said(open_box(&key[1..], "secret/root", &sealed)), says("invalid_argument", "caller"));
    assert_eq!(said(stretch("correct horse".to_owned(), b"short")), says("invalid_argument", "caller"));
}
