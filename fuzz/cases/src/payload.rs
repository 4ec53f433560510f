//! What envelopes carry: payloads of every kind, references to artifacts, sealed boxes.

use std::sync::LazyLock;

use agentpair_protocol::artifact::{self, SpillRef, is_sha256_hex};
use agentpair_protocol::envelope::{Kind, hazmat};
use agentpair_protocol::error::Reject;
use agentpair_protocol::json;
use agentpair_protocol::limits::ARTIFACT_BYTES;
use agentpair_protocol::message::{Extras, Message, deadline_ms};
use agentpair_protocol::secret::Secret;
use agentpair_protocol::vault;

use crate::choose;

/// All kinds, by name: so that one that is added is seen to be missing here.
const KINDS: [&str; 17] = [
    "core.msg",
    "core.close",
    "core.ack",
    "nego.open",
    "nego.open_approved",
    "nego.open_reject",
    "nego.open_expired",
    "nego.turn",
    "nego.signed",
    "nego.ratified",
    "nego.budget_propose",
    "nego.budget_approved",
    "nego.budget_reject",
    "bond.hello",
    "bond.revoked",
    "atest.challenge",
    "atest.report",
];

static PARSED: LazyLock<[Kind; 17]> = LazyLock::new(|| KINDS.map(|name| Kind::parse(name).expect("a known kind")));

fn message(which: u8, plaintext: &[u8]) {
    let kind = PARSED[usize::from(which) % KINDS.len()];
    assert_eq!(Extras::read(plaintext).is_ok(), json::check_object(plaintext).is_ok() && has_sound_expiry(plaintext));
    let Ok(extras) = Extras::read(plaintext) else { return };
    let Ok(message) = Message::read(kind, "t", plaintext) else { return };
    assert_eq!(message.kind(), kind);
    let text = message.to_json().unwrap();
    assert_eq!(Message::read(kind, "t", text.as_bytes()).as_ref(), Ok(&message), "written, then read again");
    // With the keys that sealing adds it is still that message, and the keys come back.
    let ours = Extras { mid: Some("m".to_owned()), expires_at: extras.expires_at, bind: Some("YQ".to_owned()) };
    let carried = ours.append_to(&text);
    assert_eq!(Extras::read(carried.as_bytes()), Ok(ours));
    assert_eq!(Message::read(kind, "t", carried.as_bytes()), Ok(message.clone()));
    if let Message::Open(open) = &message {
        assert!(deadline_ms(&open.budget.deadline).is_some());
    }
}

fn has_sound_expiry(plaintext: &[u8]) -> bool {
    let value: serde_json::Value = serde_json::from_slice(plaintext).unwrap_or_default();
    value.get("expires_at").is_none_or(|at| at.as_u64().is_some_and(|at| at < 1 << 53))
}

fn spill(plaintext: &[u8]) {
    match SpillRef::read(plaintext) {
        Ok(None) => assert!(json::FlatObject::parse(plaintext).unwrap().get("spill").is_none()),
        Ok(Some(reference)) => {
            assert!(reference.size <= ARTIFACT_BYTES as u64 && is_sha256_hex(&reference.artifact_hash));
            let text = serde_json::to_string(&reference).unwrap();
            assert_eq!(SpillRef::read(text.as_bytes()), Ok(Some(reference.clone())));
            assert_eq!(artifact::open(&reference, Vec::new()), Err(Reject::ArtifactDecryptFailed));
        }
        Err(reject) => assert!(matches!(reject, Reject::InvalidPayload | Reject::ArtifactTooLarge)),
    }
}

fn sealed(data: &[u8]) {
    let (sealed, reference) = artifact::seal_with_nonce(data, &[3; 32], &[4; 24]).unwrap();
    assert_eq!(artifact::open(&reference, sealed.clone()).as_deref(), Ok(data));
    let text = serde_json::to_string(&reference).unwrap();
    assert_eq!(SpillRef::read(text.as_bytes()), Ok(Some(reference.clone())));
    // Bytes of somebody else's.
    if *data != *sealed {
        assert!(artifact::open(&reference, data.to_vec()).is_err());
    }
    let key = Secret::new([3; 32]);
    assert_eq!(vault::open(&key, "agentpair-artifact-v1", sealed.clone()).as_deref(), Some(data));
    assert_eq!(vault::open(&key, "another", sealed), None);
    assert_eq!(vault::open(&key, "another", data.to_vec()), None);
    assert_eq!(hazmat::open(&[3; 32], b"", data.to_vec()), None);
}

/// A plaintext of some kind, a reference, or bytes to seal and to open.
pub fn payload(data: &[u8]) {
    let (which, rest) = choose(data);
    match which {
        0..=239 => message(which, rest),
        240..=249 => spill(rest),
        _ => sealed(rest),
    }
}
