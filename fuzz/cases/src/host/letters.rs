//! Envelopes of a bonded peer that means harm: its signature is good, everything else is as it pleases.

use agentpair_protocol::artifact;
use agentpair_protocol::envelope::{Draft, Stamp, bind, seal_with_nonce};
use agentpair_protocol::message::Extras;
use agentpair_protocol::negotiation::{Agreement, Ratify, Side};
use agentpair_protocol::safety::keys_digest;
use arbitrary::Unstructured;
use serde_json::{Value, json};

use super::drive::Driven;
use super::menu::{byte, one_in, pick, text};
use super::stages::{Peer, Stage, terms};

/// An envelope before it is sealed.
pub(super) struct Letter {
    kind: String,
    thread: String,
    seq: u64,
    ttl: u64,
    stamp: Option<Stamp>,
    id: String,
    plaintext: Plaintext,
    nonce: [u8; 24],
}

struct Plaintext {
    text: String,
    extras: Extras,
    is_bound: bool,
}

const THREADS: [&str; 8] = ["t", "ack", "bond", "t/1", "t/0001", "u", "\u{202e}t", "x y"];
const UUID: &str = "00000000-0000-4000-8000-000000000001";

impl Letter {
    pub(super) fn draw(u: &mut Unstructured<'_>, stage: &Stage, host: &Driven) -> Self {
        let thread = match byte(u) % 4 {
            0 | 1 => stage.thread.clone(),
            2 => pick(u, &THREADS).to_owned(),
            _ => text(u),
        };
        // Mostly rising, so that what follows is seen too. What an input leaves out is as it should be.
        let count = 1_000 + host.steps();
        let seq = if byte(u) < 224 { count } else { u64::from(byte(u)) << (byte(u) % 46) };
        let (kind, plaintext) = payload(u, stage, host, &thread);
        let mid = (!one_in(u, 4)).then(|| format!("m{}", byte(u) % 16));
        let expires_at = (!one_in(u, 4)).then(|| host.now.saturating_add(u64::from(byte(u)) << (byte(u) % 40)));
        let flags = byte(u);
        let stamp = Stamp {
            sealed_at: pick(u, &[host.now, host.now + 60_000, host.now.saturating_sub(86_400_000), 0, (1 << 53) - 1]),
            prev: u64::from(byte(u)),
        };
        Self {
            kind,
            thread,
            seq,
            ttl: pick(u, &[host.now / 1_000 + 600, host.now / 1_000, (1 << 53) - 1, 0]),
            stamp: (flags & 7 != 7).then_some(stamp),
            id: pick(u, &[UUID, "i", "\u{7}", "ed25519:x"]).to_owned(),
            plaintext: Plaintext {
                text: plaintext,
                extras: Extras { bind: None, mid, expires_at },
                is_bound: flags & 0x70 != 0,
            },
            nonce: nonce(byte(u), count),
        }
    }
}

fn nonce(repeated: u8, count: u64) -> [u8; 24] {
    let mut nonce = [repeated; 24];
    if repeated == 0 {
        nonce[..8].copy_from_slice(&count.to_be_bytes());
    }
    nonce
}

/// The wire, unless it does not fit.
pub(super) fn seal(peer: &Peer, letter: &Letter) -> Option<String> {
    let (from, to) = (peer.key.agent_id().as_str(), peer.host.as_str());
    let Plaintext { text, extras, is_bound } = &letter.plaintext;
    let bound = || bind(from, to, &letter.id, &letter.kind, &letter.thread, letter.seq);
    let is_bindable = letter.thread.len() < 60_000;
    let extras = Extras { bind: (*is_bound && is_bindable).then(bound), ..extras.clone() };
    let plaintext = extras.append_to(text);
    let draft = Draft {
        from: &peer.key,
        to: &peer.host,
        id: &letter.id,
        kind: &letter.kind,
        thread: &letter.thread,
        seq: letter.seq,
        ttl: letter.ttl,
        stamp: letter.stamp,
        plaintext: plaintext.as_bytes(),
    };
    String::from_utf8(seal_with_nonce(&draft, &peer.pair, &letter.nonce).ok()?).ok()
}

/// The artifact that references lead to.
pub(super) fn sealed_artifact() -> (Vec<u8>, String) {
    let plaintext = json!({ "body": "from an artifact" }).to_string();
    let (sealed, reference) = artifact::seal_with_nonce(plaintext.as_bytes(), &[5; 32], &[6; 24]).unwrap();
    (sealed, serde_json::to_string(&reference).unwrap())
}

/// A payload of some kind: whole, or with one member that is not as it should be, or anything.
fn payload(u: &mut Unstructured<'_>, stage: &Stage, host: &Driven, thread: &str) -> (String, String) {
    let session = stage.peer.as_ref().and_then(|peer| host.engine.session(&peer.bond, thread));
    let signed = session.as_ref().and_then(|s| s.deliverable.clone());
    let sha256 = signed.map_or_else(|| stage.deliverable.describe().sha256, |deliverable| deliverable.sha256);
    let number = |u: &mut Unstructured<'_>| pick(u, &[7_u64, 0, 1, 2, 8, 1_000, 1_001, (1 << 53) - 1, u64::MAX]);
    let (kind, value): (&str, Value) = match byte(u) % 17 {
        0 => ("core.msg", json!({ "body": text(u) })),
        1 => {
            let reason =
                pick(u, &["ratify_rejected", "ratify_expired", "deadline_expired", "bond_revoked", "restored", "x"]);
            ("core.close", json!({ "reason": reason }))
        }
        2 => {
            let ids: Vec<String> = host.engine.outbox().into_iter().map(|row| row.mid).chain([text(u)]).collect();
            let refused =
                json!([{ "id": pick(u, &ids), "code": pick(u, &["stale_seq", "thread_closed", "Not A Code"]) }]);
            ("core.ack", json!({ "ack_seq": number(u), "acked": ids, "refused": refused, "looked_at": number(u) }))
        }
        3 => {
            let mut open = serde_json::to_value(terms()).unwrap();
            open["budget"]["max_turns"] = number(u).into();
            open["budget"]["deadline"] =
                pick(u, &["2027-01-20T00:00Z", "1970-01-01T00:00:01Z", "9999-12-31T23:59:59Z"]).into();
            open["goal"] = text(u).into();
            ("nego.open", open)
        }
        4 => {
            let terms = if byte(u) < 224 { host.terms(thread).map(hex::encode) } else { Some(text(u)) };
            ("nego.open_approved", json!({ "thread": thread, "terms": terms }))
        }
        5 => ("nego.open_reject", json!({ "thread": thread, "reason": text(u) })),
        6 => ("nego.open_expired", json!({ "thread": thread })),
        7 => {
            let mut turn = json!({ "thread": thread, "turn_count": number(u), "msg_type": text(u), "body": text(u) });
            if !one_in(u, 4) {
                turn["deliverable"] = serde_json::to_value(&stage.deliverable).unwrap();
                turn["deliverable"]["text"] =
                    pick(u, &["{\"id\":1}", "{\"id\":2}", "[1]", "\u{feff}", "e\u{301}"]).into();
            }
            ("nego.turn", turn)
        }
        8 => {
            let agreement = agreement(stage, host, thread).map(hex::encode);
            ("nego.signed", json!({ "thread": thread, "artifact_hash": sha256, "agreement": agreement }))
        }
        9 => ("nego.ratified", ratified(u, stage, host, thread, &sha256)),
        10..=12 => {
            let kind = pick(u, &["nego.budget_propose", "nego.budget_approved", "nego.budget_reject"]);
            (kind, json!({ "thread": thread, "proposal_id": UUID, "new_max_turns": number(u), "reason": text(u) }))
        }
        13 => ("bond.hello", hello(u, stage)),
        14 => ("bond.revoked", json!({ "reason": text(u) })),
        15 => {
            let kind = pick(u, &["core.msg", "nego.turn", "nego.open", "bond.hello", "core.ack"]);
            return (kind.to_owned(), sealed_artifact().1);
        }
        _ => {
            let kind = pick(u, &["core.msg", "nego.open", "nego.ratified", "atest.report", "core.unknown", ""]);
            return (kind.to_owned(), text(u));
        }
    };
    let mut value = value;
    // Now and then one member is missing, or is something else.
    let spoil = byte(u);
    if spoil >= 208
        && let Some(object) = value.as_object_mut()
    {
        let keys: Vec<String> = object.keys().cloned().collect();
        let key = pick(u, &keys);
        match spoil % 3 {
            0 => object.remove(&key),
            1 => object.insert(key, Value::from(number(u))),
            _ => object.insert(key, Value::from(text(u))),
        };
    }
    (kind.to_owned(), value.to_string())
}

/// The digest that the host has for its session, or one that it would have.
fn agreement(stage: &Stage, host: &Driven, thread: &str) -> Option<[u8; 32]> {
    let peer = stage.peer.as_ref()?;
    let session = host.engine.session(&peer.bond, thread)?;
    if let Some(known) = &session.agreement {
        return hex::decode(known).ok()?.try_into().ok();
    }
    let (theirs, mine) = (peer.key.agent_id().as_str(), peer.host.as_str());
    let (initiator, recipient) = if session.opened_by == Side::Me { (mine, theirs) } else { (theirs, mine) };
    Agreement {
        thread,
        initiator,
        recipient,
        terms: &host.terms(thread)?,
        deliverable: &stage.deliverable.describe(),
        supersedes: "",
    }
    .digest()
}

fn ratified(u: &mut Unstructured<'_>, stage: &Stage, host: &Driven, thread: &str, sha256: &str) -> Value {
    let digest = agreement(stage, host, thread).unwrap_or([0; 32]);
    let approved_at = pick(u, &[host.now, host.now.saturating_sub(1_000), 0, (1 << 53) - 1]);
    let offer_expires_at = approved_at.saturating_add(pick(u, &[600_000, 0, 1 << 52]));
    let channel = pick(u, &["file", "", "a channel whose name is too long to be one, and longer still than that"]);
    let Some(peer) = &stage.peer else { return Value::Null };
    let signer = peer.key.agent_id().as_str();
    let ratify = Ratify { digest: &digest, signer, approved_at, offer_expires_at, channel };
    json!({
        "thread": thread,
        "artifact_hash": sha256,
        "agreement": hex::encode(digest),
        "approved_at": approved_at,
        "offer_expires_at": offer_expires_at,
        "channel": channel,
        "ratify_sig": ratify.sign(&peer.key).sig,
        "approval": { "pending": text(u), "digest": text(u), "sig": text(u) },
    })
}

fn hello(u: &mut Unstructured<'_>, stage: &Stage) -> Value {
    let Some(peer) = &stage.peer else { return Value::Null };
    let approver = pick(u, &[Value::Null, peer.key.agent_id().as_str().into(), "x".into()]);
    json!({
        "label": text(u),
        "software": text(u),
        "profiles": ["bond/1", "core/1", "nego/1"],
        "host": pick(u, &["process", "page"]),
        "keys": hex::encode(keys_digest(peer.key.agent_id(), &peer.host)),
        "scope": ["message", "negotiate"],
        "mode": "bonded_contact",
        "approver": { "agent_id": approver, "version": byte(u), "sig": text(u) },
        "restored_at": byte(u),
    })
}
