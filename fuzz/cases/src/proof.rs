//! What proves itself: receipts, audit logs.

use std::sync::LazyLock;

use agentpair_protocol::audit::{AuditHead, AuditRecord, SignedHead, verify};
use agentpair_protocol::base64url;
use agentpair_protocol::identity::Keypair;
use agentpair_protocol::negotiation::{Agreement, Deliverable, Ratify, Receipt, ReceiptFault};
use sha2::{Digest as _, Sha256};

use crate::choose;

static ALICE: LazyLock<Keypair> = LazyLock::new(|| Keypair::from_seed([1; 32]));
static BOB: LazyLock<Keypair> = LazyLock::new(|| Keypair::from_seed([2; 32]));

fn judge(receipt: &Receipt) {
    let text = serde_json::to_vec(receipt).unwrap();
    let verdict = receipt.check();
    assert_eq!(Receipt::verify(&text), verdict, "written, then read again");
    if let Ok(verified) = verdict {
        assert_eq!(verified.agreement, receipt.agreement);
        let forged = Receipt { thread: format!("{}x", receipt.thread), ..receipt.clone() };
        assert_eq!(forged.check(), Err(ReceiptFault::Digest));
    }
}

/// The receipt as it is, and with the digest and the signatures that it should have.
fn receipt(data: &[u8]) {
    let verdict = Receipt::verify(data);
    let Ok(mut receipt) = serde_json::from_slice::<Receipt>(data) else {
        assert_eq!(verdict, Err(ReceiptFault::Shape));
        return;
    };
    judge(&receipt);
    (receipt.initiator, receipt.recipient) = (ALICE.agent_id().to_string(), BOB.agent_id().to_string());
    let is_bounded = |text: &str| text.len() < 60_000;
    let Deliverable { name, media_type, .. } = &receipt.deliverable;
    let channels = [&receipt.initiator_ratified.channel, &receipt.recipient_ratified.channel];
    let lengths = [&receipt.thread, name, media_type, &receipt.supersedes, channels[0], channels[1]];
    if !lengths.iter().all(|text| is_bounded(text)) {
        return;
    }
    let terms = base64url::decode(&receipt.terms).unwrap_or_default();
    let described = receipt.deliverable.describe();
    let digest = Agreement {
        thread: &receipt.thread,
        initiator: ALICE.agent_id().as_str(),
        recipient: BOB.agent_id().as_str(),
        terms: &Sha256::digest(&terms).into(),
        deliverable: &described,
        supersedes: &receipt.supersedes,
    }
    .digest()
    .unwrap();
    receipt.agreement = hex::encode(digest);
    for (key, ratified) in [(&*ALICE, &mut receipt.initiator_ratified), (&*BOB, &mut receipt.recipient_ratified)] {
        let channel = ratified.channel.clone();
        let ratify = Ratify {
            digest: &digest,
            signer: key.agent_id().as_str(),
            approved_at: ratified.approved_at,
            offer_expires_at: ratified.offer_expires_at,
            channel: &channel,
        };
        *ratified = ratify.sign(key);
        assert!(ratified.holds(&digest, key.agent_id()));
    }
    judge(&receipt);
}

fn audit(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let records: Vec<AuditRecord> = text.lines().filter_map(|line| AuditRecord::parse(line).ok()).collect();
    let is_short = |text: &String| text.len() < 60_000;
    if !records.iter().all(|record| is_short(&record.prev) && record.n > 0 && record.n < 1 << 53) {
        return;
    }
    if let Ok(head) = verify(&records) {
        assert_eq!(head.n, records.last().map_or(0, |last| last.n));
    }
    // The same acts, chained by us: sound as a whole and as a part, and not with one left out.
    let mut head = AuditHead::default();
    let chain: Vec<AuditRecord> =
        records.iter().map(|r| head.append(r.at, &r.act, r.bond.as_deref(), r.facts.clone())).collect();
    assert_eq!(verify(&chain), Ok(head.clone()));
    if chain.len() > 2 {
        assert_eq!(verify(&chain[1..]), Ok(head));
        assert_eq!(verify(&[&chain[..1], &chain[2..]].concat()), Err(2));
    }
}

/// A receipt, the lines of an audit log, or the head of one.
pub fn proof(data: &[u8]) {
    let (which, rest) = choose(data);
    match which % 3 {
        0 => receipt(rest),
        1 => audit(rest),
        _ => {
            if let Ok(head) = serde_json::from_slice::<SignedHead>(rest) {
                let text = serde_json::to_vec(&head).unwrap();
                assert_eq!(serde_json::from_slice::<SignedHead>(&text).unwrap().holds(), head.holds());
            }
        }
    }
}
