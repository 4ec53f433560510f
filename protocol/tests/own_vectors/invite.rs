//! INV-1, INV-2: the signed invite. One case, one fault.

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::base64url;
use agentpair_protocol::identity::Keypair;
use agentpair_protocol::pairing::invite::{Invite, InviteFault};
use agentpair_protocol::signed_blob::SignedBlob;
use serde_json::{Value, json};

use super::{cases, keys, own, text};

const DOMAIN: Option<&str> = Some("agentpair-invite-v1");

/// The blob, in the order of the members that we write.
fn blob(edit: impl FnOnce(&mut [(&'static str, Value)])) -> String {
    let [alice, ..] = keys();
    let id = alice.agent_id().as_str();
    let mut members = [
        ("v", json!(1)),
        ("name", json!("w77")),
        ("agent_id", json!(id)),
        ("session_id", json!("00000000-0000-4000-8000-000000000000")),
        ("proposal", json!({ "scope": ["message"], "mode": "bonded_contact", "initiatorAgentId": id })),
        ("pake", json!("{\"phase\":\"pake\",\"payload\":\"QQ\",\"role\":\"initiator\",\"profiles\":[\"core/1\"]}")),
        ("expires_at", json!(1_800_000_000_000_u64)),
    ];
    edit(&mut members);
    let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
    format!("{{{}}}", members.join(","))
}

fn with(key: &'static str, value: Value) -> String {
    blob(|members| members.iter_mut().find(|(known, _)| *known == key).unwrap().1 = value)
}

fn signed(text: &str, key: &Keypair) -> String {
    SignedBlob::sign(text, DOMAIN, key).to_json()
}

fn file() -> Value {
    let [alice, bob, mallory] = keys();
    let good = signed(&blob(|_| {}), &alice);
    let parts = SignedBlob::read(good.as_bytes()).unwrap();
    let other_initiator = json!({ "scope": ["message"], "mode": "x", "initiatorAgentId": bob.agent_id().as_str() });
    let list: Vec<Value> = [
        ("sound", good.clone(), None),
        ("sound_with_an_unknown_key", signed(&blob(|_| {}).replacen('{', "{\"later\":[1],", 1), &alice), None),
        ("too_large", signed(&with("pake", json!("x".repeat(6_000))), &alice), Some("payload_too_large")),
        ("no_json", good[1..].to_owned(), Some("invalid_json")),
        ("a_key_twice", good.replacen('{', "{\"sig\":\"AA\",", 1), Some("invalid_json")),
        ("an_array", format!("[{good}]"), Some("invalid_invite")),
        ("no_signature", json!({ "blob": parts.blob }).to_string(), Some("invalid_invite")),
        ("blob_padded", good.replacen(&parts.blob, &format!("{}=", parts.blob), 1), Some("invalid_invite")),
        ("blob_no_object", signed("[1]", &alice), Some("invalid_invite")),
        (
            "agent_id_in_another_spelling",
            signed(&with("agent_id", json!("ed25519:AQ")), &alice),
            Some("invalid_invite"),
        ),
        ("signed_by_another", signed(&blob(|_| {}), &mallory), Some("invalid_signature")),
        ("signed_without_a_domain", SignedBlob::sign(&blob(|_| {}), None, &alice).to_json(), Some("invalid_signature")),
        (
            "signed_in_another_domain",
            SignedBlob::sign(&blob(|_| {}), Some("agentpair-invite-delete-v1"), &alice).to_json(),
            Some("invalid_signature"),
        ),
        (
            "blob_altered",
            {
                let text = blob(|_| {}).replacen("w77", "w78", 1);
                good.replacen(&parts.blob, &base64url::encode(text.as_bytes()), 1)
            },
            Some("invalid_signature"),
        ),
        ("another_version", signed(&with("v", json!(2)), &alice), Some("invalid_invite")),
        ("name_outside_the_grammar", signed(&with("name", json!("a/b")), &alice), Some("invalid_invite")),
        ("name_of_33_characters", signed(&with("name", json!("n".repeat(33))), &alice), Some("invalid_invite")),
        ("session_outside_the_grammar", signed(&with("session_id", json!("a b")), &alice), Some("invalid_invite")),
        ("initiator_is_another", signed(&with("proposal", other_initiator), &alice), Some("invalid_invite")),
    ]
    .into_iter()
    .map(|(name, body, expect)| json!({ "name": name, "body": body, "expect": expect }))
    .collect();
    json!({ "cases": list })
}

/// What a relay answers.
fn code(fault: InviteFault) -> &'static str {
    if fault == InviteFault::TooLarge { "payload_too_large" } else { fault.code() }
}

#[test]
fn an_invite_is_what_its_maker_signed() {
    let file = own!("invite", file());
    for (name, case) in cases(&file, "cases") {
        let verdict = Invite::open(text(case, "body").as_bytes());
        assert_eq!(json!(verdict.err().map(code)), case["expect"], "{name}");
    }
}
