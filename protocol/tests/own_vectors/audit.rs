//! AUD-2 to AUD-4: the chain of the audit log and its signed head. One case, one fault.

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::audit::{AuditHead, AuditRecord, SignedHead, verify};
use agentpair_protocol::base64url;
use agentpair_protocol::identity::{Domain, Keypair, Transcript};
use serde_json::{Value, json};

use super::{cases, keys, own};

fn chain() -> Vec<AuditRecord> {
    let mut head = AuditHead::default();
    let facts = |list: &[(&str, &str)]| list.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    vec![
        head.append(1_800_000_000_000, "invite_made", None, facts(&[("pairing", "p")])),
        head.append(1_800_000_000_001, "envelope_sent", Some("b"), facts(&[("type", "core.msg"), ("id", "ümläut")])),
        head.append(1_800_000_000_001, "bond_revoked", Some("b"), facts(&[])),
        head.append(1_799_999_999_999, "restored", None, facts(&[])),
    ]
}

fn head(key: &Keypair, record: &AuditRecord) -> SignedHead {
    let at = 1_800_000_000_002;
    let sig = key.sign_in(Domain::AuditHead, &Transcript::new().lp(&record.hash).u64(record.n).u64(at));
    let agent_id = key.agent_id().to_string();
    SignedHead { n: record.n, hash: record.hash.clone(), at, agent_id, sig: base64url::encode(&sig) }
}

/// The chain after one change to its second record.
fn altered(edit: fn(&mut AuditRecord)) -> Vec<AuditRecord> {
    let mut chain = chain();
    edit(&mut chain[1]);
    chain
}

fn file() -> Value {
    let [alice, bob, _] = keys();
    let whole = chain();
    let mut swapped = chain();
    swapped.swap(1, 2);
    let mut renumbered = whole[1..].to_vec();
    renumbered[0].n = 1;
    // The number of the first record that does not fit, or nothing.
    let list: Vec<Value> = [
        ("whole", whole.clone(), None),
        ("empty", Vec::new(), None),
        ("a_part", whole[2..].to_vec(), None),
        ("time_altered", altered(|r| r.at += 1), Some(2)),
        ("act_altered", altered(|r| r.act.push('x')), Some(2)),
        ("bond_altered", altered(|r| r.bond = Some("c".to_owned())), Some(2)),
        ("bond_gone", altered(|r| r.bond = None), Some(2)),
        ("fact_altered", altered(|r| r.facts[0].1.push('x')), Some(2)),
        ("fact_gone", altered(|r| r.facts.truncate(1)), Some(2)),
        ("hash_altered", altered(|r| r.hash = "00".repeat(32)), Some(2)),
        ("link_altered", altered(|r| r.prev = "00".repeat(32)), Some(2)),
        ("one_left_out", [&whole[..1], &whole[2..]].concat(), Some(2)),
        ("two_exchanged", swapped, Some(2)),
        ("beginning_cut_off", renumbered, Some(1)),
    ]
    .into_iter()
    .map(
        |(name, records, expect): (&str, _, Option<u64>)| json!({ "name": name, "records": records, "expect": expect }),
    )
    .collect();
    let good = head(&alice, &whole[3]);
    let heads: Vec<Value> = [
        ("sound", good.clone(), true),
        ("another_number", SignedHead { n: 5, ..good.clone() }, false),
        ("another_hash", SignedHead { hash: whole[2].hash.clone(), ..good.clone() }, false),
        ("another_time", SignedHead { at: 1_800_000_000_003, ..good.clone() }, false),
        ("another_signer", SignedHead { agent_id: bob.agent_id().to_string(), ..good.clone() }, false),
        ("signed_by_another", SignedHead { sig: head(&bob, &whole[3]).sig, ..good }, false),
    ]
    .into_iter()
    .map(|(name, head, ok)| json!({ "name": name, "head": head, "ok": ok }))
    .collect();
    json!({ "logs": list, "heads": heads })
}

#[test]
fn a_log_is_one_chain_with_a_signed_head() {
    let file = own!("audit", file());
    for (name, case) in cases(&file, "logs") {
        let records: Vec<AuditRecord> = serde_json::from_value(case["records"].clone()).unwrap();
        assert_eq!(json!(verify(&records).err()), case["expect"], "{name}");
    }
    for (name, case) in cases(&file, "heads") {
        let head: SignedHead = serde_json::from_value(case["head"].clone()).unwrap();
        assert_eq!(head.holds(), case["ok"], "{name}");
    }
}
