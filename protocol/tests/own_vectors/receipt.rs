//! RAT-3, RAT-9: ratifications, and the receipt that holds two of them. One case, one fault.

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::base64url;
use agentpair_protocol::identity::Keypair;
use agentpair_protocol::negotiation::{
    Agreement, Deliverable, DeliverableKind, Ratification, Ratify, Receipt, ReceiptFault,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{cases, keys, own, text};

const APPROVED_AT: u64 = 1_800_000_000_000;
const OFFER_MS: u64 = 600_000;

fn terms(supersedes: &str) -> String {
    let mut open = json!({
        "goal": "Agree on the fields",
        "acceptance": [{ "id": "complete", "test": "judgment", "desc": "every field has a type" }],
        "budget": { "max_turns": 6, "deadline": "2027-01-20T00:00:00Z" },
        "mandate": { "agent_may": ["propose"], "human_required": ["ratify"] },
    });
    if !supersedes.is_empty() {
        open["supersedes"] = supersedes.into();
    }
    open.to_string()
}

/// A receipt whose digest and signatures are not those of its contents yet.
fn draft(supersedes: &str) -> Receipt {
    let [alice, bob, _] = keys();
    let ratified = |approved_at| Ratification {
        approved_at,
        offer_expires_at: approved_at + OFFER_MS,
        channel: "file".to_owned(),
        sig: String::new(),
    };
    Receipt {
        format: "agentpair-receipt-v1".to_owned(),
        agreement: String::new(),
        thread: "t".to_owned(),
        initiator: alice.agent_id().to_string(),
        recipient: bob.agent_id().to_string(),
        terms: base64url::encode(terms(supersedes).as_bytes()),
        deliverable: Deliverable {
            kind: DeliverableKind::Json,
            media_type: "application/json".to_owned(),
            name: "fields.json".to_owned(),
            text: "{\"id\":\"integer\"}".to_owned(),
        },
        supersedes: supersedes.to_owned(),
        initiator_ratified: ratified(APPROVED_AT),
        recipient_ratified: ratified(APPROVED_AT + 1_000),
    }
}

/// Puts in the digest of the contents, and the signatures of these two.
fn complete(receipt: &mut Receipt, initiator: &Keypair, recipient: &Keypair) {
    let digest = Agreement {
        thread: &receipt.thread,
        initiator: &receipt.initiator,
        recipient: &receipt.recipient,
        terms: &Sha256::digest(base64url::decode(&receipt.terms).unwrap()).into(),
        deliverable: &receipt.deliverable.describe(),
        supersedes: &receipt.supersedes,
    }
    .digest()
    .unwrap();
    receipt.agreement = hex::encode(digest);
    let sides = [
        (initiator, receipt.initiator.clone(), &mut receipt.initiator_ratified),
        (recipient, receipt.recipient.clone(), &mut receipt.recipient_ratified),
    ];
    for (key, signer, ratified) in sides {
        let Ratification { approved_at, offer_expires_at, channel, .. } = ratified.clone();
        let ratify = Ratify { digest: &digest, signer: &signer, approved_at, offer_expires_at, channel: &channel };
        *ratified = ratify.sign(key);
    }
}

/// A receipt of Alice and Bob that is complete after one change.
fn after(edit: fn(&mut Receipt)) -> Receipt {
    let [alice, bob, _] = keys();
    let mut receipt = draft("");
    edit(&mut receipt);
    complete(&mut receipt, &alice, &bob);
    receipt
}

/// One that was complete before the change.
fn before(edit: fn(&mut Receipt)) -> Receipt {
    let mut receipt = after(|_| {});
    edit(&mut receipt);
    receipt
}

fn signed_by(initiator: &Keypair, recipient: &Keypair) -> Receipt {
    let mut receipt = draft("");
    complete(&mut receipt, initiator, recipient);
    receipt
}

fn file() -> Value {
    let [alice, bob, mallory] = keys();
    let mut list = Vec::new();
    let mut add = |name: &str, receipt: &Receipt, expect: Option<&str>| {
        list.push(json!({ "name": name, "receipt": serde_json::to_string(receipt).unwrap(), "expect": expect }));
    };
    let mut superseding = draft(&"ab".repeat(32));
    complete(&mut superseding, &alice, &bob);
    let mut contradicting = superseding.clone();
    contradicting.supersedes = "cd".repeat(32);
    complete(&mut contradicting, &alice, &bob);
    add("sound", &after(|_| {}), None);
    add("superseding", &superseding, None);
    add("second_at_the_end_of_the_offer", &after(|r| r.recipient_ratified.approved_at = APPROVED_AT + OFFER_MS), None);
    add("another_format", &after(|r| r.format = "agentpair-receipt-v2".to_owned()), Some("shape"));
    add("initiator_is_no_id", &after(|r| r.initiator = "ed25519:AQ".to_owned()), Some("shape"));
    add("recipient_with_spare_bits", &after(|r| r.recipient.replace_range(50..51, "R")), Some("shape"));
    add("terms_are_no_opening", &after(|r| r.terms = base64url::encode(b"{\"goal\":1}")), Some("shape"));
    add("terms_padded", &before(|r| r.terms.push('=')), Some("shape"));
    add("text_not_nfc", &after(|r| r.deliverable.text = "{\"e\u{301}\":1}".to_owned()), Some("shape"));
    add("text_no_json", &after(|r| r.deliverable.text = "5".to_owned()), Some("shape"));
    add("supersedes_in_capitals", &after(|r| r.supersedes = "AB".repeat(32)), Some("shape"));
    add("another_thread", &before(|r| r.thread = "u".to_owned()), Some("digest"));
    add("another_text", &before(|r| r.deliverable.text = "{\"id\":\"string\"}".to_owned()), Some("digest"));
    add("another_name", &before(|r| r.deliverable.name = "other.json".to_owned()), Some("digest"));
    add("other_terms", &before(|r| r.terms = base64url::encode(terms(&"ab".repeat(32)).as_bytes())), Some("digest"));
    add("supersedes_not_that_of_the_terms", &contradicting, Some("digest"));
    add("initiator_did_not_sign", &signed_by(&mallory, &bob), Some("initiator_signature"));
    add("recipient_did_not_sign", &signed_by(&alice, &mallory), Some("recipient_signature"));
    add("signatures_exchanged", &signed_by(&bob, &alice), Some("initiator_signature"));
    add("another_time", &before(|r| r.initiator_ratified.approved_at += 1), Some("initiator_signature"));
    add("another_offer", &before(|r| r.recipient_ratified.offer_expires_at += 1), Some("recipient_signature"));
    add("another_channel", &before(|r| r.recipient_ratified.channel = "pin".to_owned()), Some("recipient_signature"));
    add("second_too_late", &after(|r| r.recipient_ratified.approved_at = APPROVED_AT + OFFER_MS + 1), Some("expired"));
    add(
        "first_was_the_recipient",
        &after(|r| r.initiator_ratified.approved_at = APPROVED_AT + 601_001),
        Some("expired"),
    );
    let text = serde_json::to_string(&after(|_| {})).unwrap();
    for (name, text) in [
        ("an_extra_key", text.replacen('{', "{\"extra\":1,", 1)),
        ("a_key_twice", text.replacen('{', "{\"thread\":\"t\",", 1)),
        ("a_key_missing", text.replacen("\"supersedes\":\"\",", "", 1)),
    ] {
        list.push(json!({ "name": name, "receipt": text, "expect": "shape" }));
    }
    json!({ "cases": list })
}

fn word(fault: ReceiptFault) -> &'static str {
    match fault {
        ReceiptFault::Shape => "shape",
        ReceiptFault::Digest => "digest",
        ReceiptFault::InitiatorSignature => "initiator_signature",
        ReceiptFault::RecipientSignature => "recipient_signature",
        ReceiptFault::Expired => "expired",
    }
}

#[test]
fn a_receipt_proves_what_two_keys_signed() {
    let file = own!("receipt", file());
    for (name, case) in cases(&file, "cases") {
        let verdict = Receipt::verify(text(case, "receipt").as_bytes());
        assert_eq!(json!(verdict.err().map(word)), case["expect"], "{name}");
    }
}
