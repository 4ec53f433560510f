//! GATE-9, RAT-11, BOND-15: what an approver signs. One case, one fault.

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::gate::{Approval, Decision, Handover};
use agentpair_protocol::identity::AgentId;
use serde_json::{Value, json};

use super::{cases, keys, own, text};

const ITEM: &str = "00000000-0000-4000-8000-000000000001";

fn decision(word: &str) -> Decision {
    if word == "approve" { Decision::Approve } else { Decision::Reject }
}

fn file() -> Value {
    let [alice, bob, mallory] = keys();
    let (digest, agreement) = ("ab".repeat(32), "cd".repeat(32));
    let sign = |word: &str, agreement: &str, key: &agentpair_protocol::identity::Keypair| {
        Approval { pending: ITEM, decision: decision(word), digest: &digest, agreement }.sign(key)
    };
    let approvals: Vec<Value> = [
        (
            "of_a_ratification",
            ITEM,
            "approve",
            digest.as_str(),
            agreement.as_str(),
            sign("approve", &agreement, &alice),
            true,
        ),
        ("of_something_else", ITEM, "approve", &digest, "", sign("approve", "", &alice), true),
        ("a_rejection", ITEM, "reject", &digest, "", sign("reject", "", &alice), true),
        (
            "of_another_item",
            "00000000-0000-4000-8000-000000000002",
            "approve",
            &digest,
            &agreement,
            sign("approve", &agreement, &alice),
            false,
        ),
        (
            "a_rejection_taken_for_an_approval",
            ITEM,
            "approve",
            &digest,
            &agreement,
            sign("reject", &agreement, &alice),
            false,
        ),
        ("of_other_content", ITEM, "approve", &agreement, &agreement, sign("approve", &agreement, &alice), false),
        ("of_another_agreement", ITEM, "approve", &digest, &digest, sign("approve", &agreement, &alice), false),
        ("without_its_agreement", ITEM, "approve", &digest, &agreement, sign("approve", "", &alice), false),
        ("of_another_approver", ITEM, "approve", &digest, &agreement, sign("approve", &agreement, &mallory), false),
        ("padded", ITEM, "approve", &digest, &agreement, format!("{}==", sign("approve", &agreement, &alice)), false),
    ]
    .into_iter()
    .map(|(name, pending, word, digest, agreement, sig, ok)| {
        json!({
            "name": name,
            "approver": alice.agent_id().as_str(),
            "pending": pending,
            "decision": word,
            "digest": digest,
            "agreement": agreement,
            "sig": sig,
            "ok": ok,
        })
    })
    .collect();
    let (to_bob, to_none) = (Some(bob.agent_id()), None);
    let hand = |version: u64, to: Option<&AgentId>| Handover { from: alice.agent_id(), version, to }.sign(&alice);
    let forged = Handover { from: alice.agent_id(), version: 2, to: to_bob }.sign(&mallory);
    let handovers: Vec<Value> = [
        ("to_another", 2, to_bob, hand(2, to_bob), true),
        ("to_nobody", 3, to_none, hand(3, to_none), true),
        ("of_another_version", 3, to_bob, hand(2, to_bob), false),
        ("to_nobody_taken_for_another", 2, to_bob, hand(2, to_none), false),
        ("signed_by_another", 2, to_bob, forged, false),
    ]
    .into_iter()
    .map(|(name, version, to, sig, ok)| {
        let (from, to) = (alice.agent_id().as_str(), to.map(AgentId::as_str));
        json!({ "name": name, "from": from, "version": version, "to": to, "sig": sig, "ok": ok })
    })
    .collect();
    json!({ "approvals": approvals, "handovers": handovers })
}

#[test]
fn an_approver_signs_one_decision_on_one_content() {
    let file = own!("approval", file());
    for (name, case) in cases(&file, "approvals") {
        let approval = Approval {
            pending: text(case, "pending"),
            decision: decision(text(case, "decision")),
            digest: text(case, "digest"),
            agreement: text(case, "agreement"),
        };
        let approver = AgentId::parse(text(case, "approver")).unwrap();
        assert_eq!(approval.holds(&approver, text(case, "sig")), case["ok"], "{name}");
    }
    for (name, case) in cases(&file, "handovers") {
        let (from, to) = (AgentId::parse(text(case, "from")).unwrap(), case["to"].as_str().map(AgentId::parse));
        let to = to.transpose().unwrap();
        let handover = Handover { from: &from, version: case["version"].as_u64().unwrap(), to: to.as_ref() };
        assert_eq!(handover.holds(text(case, "sig")), case["ok"], "{name}");
    }
}
