//! Envelopes: the wire as it comes, a body that is signed, and a plaintext that is sealed, up both ladders.

use std::sync::LazyLock;

use agentpair_protocol::base64url;
use agentpair_protocol::envelope::{Decoded, Draft, Headers, PairKey, Stamp, seal_with_nonce};
use agentpair_protocol::error::Reject;
use agentpair_protocol::identity::Keypair;
use agentpair_protocol::limits::ENVELOPE_BYTES;
use agentpair_protocol::message::Extras;
use serde_json::{Value, json};

use crate::choose;

/// The two known test keys: the seeds of the corpus are signed with them.
static ALICE: LazyLock<Keypair> = LazyLock::new(|| Keypair::from_seed([1; 32]));
static BOB: LazyLock<Keypair> = LazyLock::new(|| Keypair::from_seed([2; 32]));
static PAIR: LazyLock<PairKey> = LazyLock::new(|| PairKey::derive(&BOB, ALICE.agent_id()).unwrap());
/// The clock of the fixtures.
const NOW_S: u64 = 1_767_200_000;

/// The host's ladder, as Bob climbs it for Alice.
fn host(wire: &[u8]) -> Result<(Headers, Vec<u8>), Reject> {
    let fresh = Decoded::from_wire(wire)?
        .bonded(Some(ALICE.agent_id()))?
        .authentic()?
        .routed(BOB.agent_id())?
        .fresh(0, NOW_S)?;
    fresh.nonce()?;
    Ok(fresh.open(&PAIR)?.into_parts())
}

fn relay(wire: &[u8]) -> Result<(), Reject> {
    let inbox = BOB.agent_id().as_str();
    let accepted = Decoded::from_wire(wire)?.addressed_to(inbox)?.timely(NOW_S)?.authentic()?;
    assert!(accepted.ttl > NOW_S && !accepted.id.is_empty());
    Ok(())
}

fn both_ladders(wire: &[u8]) {
    let (at_host, at_relay) = (host(wire), relay(wire));
    let early = |reject: &Reject| {
        matches!(
            reject,
            Reject::EnvelopeTooLarge | Reject::InvalidJson | Reject::UnsupportedVersion | Reject::VersionMismatch
        )
    };
    let (early_host, early_relay) =
        (at_host.as_ref().err().filter(|r| early(r)), at_relay.as_ref().err().filter(|r| early(r)));
    assert_eq!(early_host, early_relay, "up to the version both ladders are one");
    if early_host.is_none() {
        let outer: Value = serde_json::from_slice(wire).expect("a plain parser takes it too");
        assert_eq!(outer["v"].as_f64(), Some(1.0));
        let body = base64url::decode(outer["blob"].as_str().unwrap()).unwrap();
        let body: Value = serde_json::from_slice(&body).expect("and the body");
        assert_eq!(Decoded::from_wire(wire).unwrap().claimed_sender(), body["from"].as_str().unwrap());
    }
    // What only a key or a bond can tell is left to the host; everything else the relay has judged already.
    if let Ok((headers, _)) = &at_host {
        assert_eq!(at_relay, Ok(()));
        assert!(wire.len() <= ENVELOPE_BYTES && headers.seq > 0 && headers.ttl > NOW_S);
    }
}

fn signed(body: &[u8]) -> Vec<u8> {
    let sig = base64url::encode(&ALICE.sign(body));
    let (from, to) = (ALICE.agent_id().as_str(), BOB.agent_id().as_str());
    json!({ "v": 1, "from": from, "to": to, "blob": base64url::encode(body), "sig": sig }).to_string().into_bytes()
}

fn sealed(data: &[u8]) {
    let (shape, plaintext) = choose(data);
    let stamp = (shape & 1 == 1).then_some(Stamp { sealed_at: NOW_S * 1_000, prev: u64::from(shape) });
    let draft = Draft {
        from: &ALICE,
        to: BOB.agent_id(),
        id: "00000000-0000-4000-8000-000000000000",
        kind: "core.msg",
        thread: "t",
        seq: 1 + u64::from(shape),
        ttl: NOW_S + 1,
        stamp,
        plaintext,
    };
    let Ok(wire) = seal_with_nonce(&draft, &PAIR, &[shape; 24]) else {
        assert!(plaintext.len() > 30_000);
        return;
    };
    let (headers, opened) = host(&wire).expect("what we seal, we open");
    assert_eq!((opened.as_slice(), headers.seq, headers.sealed_at.is_some()), (plaintext, draft.seq, stamp.is_some()));
    assert_eq!(relay(&wire), Ok(()));
    if let Ok(extras) = Extras::read(&opened) {
        assert_eq!(Extras::read(&opened), Ok(extras));
    }
    // One flipped bit, anywhere: neither ladder takes it for what was sealed.
    let mut altered = wire.clone();
    let at = plaintext.iter().fold(usize::from(shape), |n, b| n.wrapping_mul(31).wrapping_add(usize::from(*b)));
    let len = altered.len();
    altered[at % len] ^= 1 << (at / len % 8);
    if let Ok(again) = host(&altered) {
        assert_eq!(again, (headers, opened), "only the spelling of the outer object may have changed");
    }
}

/// A wire, a body that is signed, or a plaintext that is sealed.
pub fn envelope(data: &[u8]) {
    let (which, rest) = choose(data);
    match which % 3 {
        0 => both_ladders(rest),
        1 => both_ladders(&signed(rest)),
        _ => sealed(rest),
    }
}
