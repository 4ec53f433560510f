//! `envelope-core-msg.json`, `envelope-negative.json`, `payload-encryption.json`: the draft's own envelopes
//! (section 3.1, ENV-3, ENV-4).
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

mod support;

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::base64url;
use agentpair_protocol::envelope::{Draft, PairKey, SealFault, seal_with_nonce};
use agentpair_protocol::limits::ENVELOPE_BYTES;
use serde::Deserialize;
use serde_json::Value;
use support::ladder::{Harness, receive, relay};
use support::letter::Letter;
use support::{array, fixture, key, parse};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Golden {
    sender: String,
    recipient: String,
    id: String,
    r#type: String,
    thread: String,
    seq: u64,
    ttl: u64,
    plaintext_utf8: String,
    test_only_nonce_hex: String,
    harness: Harness,
    expected: Value,
}

fn golden() -> Golden {
    parse(fixture!("agentpair-1.0-draft/envelope-core-msg.json"))
}

#[test]
fn core_msg_is_reproduced_byte_for_byte() {
    let golden = golden();
    let (sender, recipient) = (key(&golden.sender), key(&golden.recipient));
    let draft = Draft {
        from: &sender,
        to: recipient.agent_id(),
        id: &golden.id,
        kind: &golden.r#type,
        thread: &golden.thread,
        seq: golden.seq,
        ttl: golden.ttl,
        stamp: None,
        plaintext: golden.plaintext_utf8.as_bytes(),
    };
    let pair_key = PairKey::derive(&sender, recipient.agent_id()).unwrap();
    let wire = seal_with_nonce(&draft, &pair_key, &array(&golden.test_only_nonce_hex)).unwrap();
    let wire = String::from_utf8(wire).unwrap();
    let outer: Value = parse(&wire);
    let body = base64url::decode(outer["blob"].as_str().unwrap()).unwrap();
    assert_eq!(String::from_utf8(body).unwrap(), golden.expected["bodyJson"]);
    assert_eq!(outer["blob"], golden.expected["blob"]);
    assert_eq!(outer["sig"], golden.expected["sig"]);
    assert_eq!(wire, golden.expected["wire"]);
}

#[test]
fn core_msg_is_accepted_by_host_and_relay() {
    let golden = golden();
    let wire = golden.expected["wire"].as_str().unwrap().as_bytes();
    let (headers, plaintext) = receive(wire, &golden.harness).unwrap();
    assert_eq!(plaintext, golden.plaintext_utf8.as_bytes());
    assert_eq!(
        (&headers.id, &headers.kind, &headers.thread, headers.seq, headers.ttl),
        (&golden.id, &golden.r#type, &golden.thread, golden.seq, golden.ttl)
    );
    assert_eq!(headers.from, key(&golden.sender).agent_id().as_str());
    assert_eq!(headers.to, key(&golden.recipient).agent_id().as_str());
    assert_eq!((headers.sealed_at, headers.prev), (None, None));

    let accepted = relay(wire, &golden.harness).unwrap();
    assert_eq!((accepted.id, accepted.ttl), (golden.id, golden.ttl));
    assert_eq!(&accepted.sender, key(&golden.sender).agent_id());
}

#[test]
fn payload_is_encrypted_under_the_pair_key_of_either_side() {
    let vector: Value = parse(fixture!("agentpair-1.0-draft/payload-encryption.json"));
    let text = |name: &str| vector[name].as_str().unwrap();
    let (sender, recipient) = (key(text("sender")), key(text("recipient")));
    for (own, peer) in [(&sender, &recipient), (&recipient, &sender)] {
        let draft = Draft {
            from: &sender,
            to: recipient.agent_id(),
            id: "x",
            kind: "core.msg",
            thread: "",
            seq: 1,
            ttl: 1,
            stamp: None,
            plaintext: text("plaintextUtf8").as_bytes(),
        };
        let pair_key = PairKey::derive(own, peer.agent_id()).unwrap();
        let wire = seal_with_nonce(&draft, &pair_key, &array(text("testOnlyNonceHex"))).unwrap();
        let outer: Value = serde_json::from_slice(&wire).unwrap();
        let body: Value = serde_json::from_slice(&base64url::decode(outer["blob"].as_str().unwrap()).unwrap()).unwrap();
        assert_eq!(body["payload"], text("expectedPayloadBase64url"));
    }
}

#[derive(Deserialize)]
struct Negative {
    name: String,
    wire: Option<String>,
    #[serde(rename = "bodySize")]
    body_size: Option<usize>,
    expect: String,
    harness: Harness,
}

#[test]
fn every_negative_envelope_gets_its_error() {
    #[derive(Deserialize)]
    struct File {
        cases: Vec<Negative>,
    }
    let File { cases } = parse(fixture!("agentpair-1.0-draft/envelope-negative.json"));
    assert_eq!(cases.len(), 11);
    for case in cases {
        let wire = case.wire.unwrap_or_else(|| padded(case.body_size.unwrap()));
        let error = receive(wire.as_bytes(), &case.harness).unwrap_err();
        assert_eq!(error, case.expect, "{}", case.name);
    }
}

/// The golden wire with an extra top-level text that makes it `size` bytes long.
fn padded(size: usize) -> String {
    let wire = golden().expected["wire"].as_str().unwrap().to_owned();
    let open = format!("{},\"pad\":\"", wire.strip_suffix('}').unwrap());
    format!("{open}{}\"}}", "x".repeat(size - open.len() - 2))
}

#[test]
fn the_cap_itself_passes() {
    let harness = golden().harness;
    for (size, verdict) in [
        (ENVELOPE_BYTES - 1, None),
        (ENVELOPE_BYTES, None),
        (ENVELOPE_BYTES + 1, Some("envelope_too_large".to_owned())),
    ] {
        let wire = padded(size);
        assert_eq!(wire.len(), size);
        assert_eq!(receive(wire.as_bytes(), &harness).err(), verdict, "host, {size} bytes");
        assert_eq!(relay(wire.as_bytes(), &harness).err(), verdict, "relay, {size} bytes");
    }
    // Bytes count, not characters.
    let wide = padded(ENVELOPE_BYTES - 1).replacen('x', "é", 2);
    assert_eq!(wide.len(), ENVELOPE_BYTES + 1);
    assert_eq!(receive(wide.as_bytes(), &harness).unwrap_err(), "envelope_too_large");
}

#[test]
fn nothing_larger_than_the_cap_is_sealed() {
    let (alice, bob) = (key("alice"), key("bob"));
    let pair_key = PairKey::derive(&alice, bob.agent_id()).unwrap();
    let harness = golden().harness;
    let seal = |plaintext: &[u8]| {
        let draft = Draft {
            from: &alice,
            to: bob.agent_id(),
            id: "00000000-0000-4000-8000-000000000000",
            kind: "core.msg",
            thread: "550e8400-e29b-41d4-a716-446655440000",
            seq: 1,
            ttl: 1_767_203_600,
            stamp: None,
            plaintext,
        };
        seal_with_nonce(&draft, &pair_key, &[7; 24])
    };
    let text = vec![b'x'; ENVELOPE_BYTES + 1];
    let fits = |size: usize| seal(&text[..size]).is_ok();
    let (mut low, mut high) = (0, text.len());
    while high - low > 1 {
        let middle = (low + high) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    let wire = seal(&text[..low]).unwrap();
    assert!((ENVELOPE_BYTES - 4..=ENVELOPE_BYTES).contains(&wire.len()), "{}", wire.len());
    assert_eq!(receive(&wire, &harness).unwrap().1, &text[..low]);
    for size in [low + 1, ENVELOPE_BYTES, ENVELOPE_BYTES + 1] {
        assert_eq!(seal(&text[..size]), Err(SealFault::TooLarge), "{size}");
    }
}

#[test]
fn a_letter_taken_apart_is_put_together_again() {
    // The other tests lean on this: what they break is one part of the very bytes of the fixture.
    let golden = golden();
    assert_eq!(Letter::golden().wire(), golden.expected["wire"]);
}
