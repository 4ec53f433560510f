//! The small grammars: base64url, agent ids, hashes.

use agentpair_protocol::artifact::is_sha256_hex;
use agentpair_protocol::base64url;
use agentpair_protocol::identity::{AgentId, PREFIX};
use agentpair_relay::hash::parse_sha256;
use curve25519_dalek::edwards::CompressedEdwardsY;

use crate::choose;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// ENV-1, bit by bit.
fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bits = Vec::new();
    for c in text.bytes() {
        let value = ALPHABET.iter().position(|known| *known == c)?;
        bits.extend((0..6).rev().map(|n| value >> n & 1));
    }
    let spare = bits.len() % 8;
    if text.is_empty() || spare >= 6 || bits[bits.len() - spare..].contains(&1) {
        return None;
    }
    Some(
        bits.chunks_exact(8)
            .map(|byte| byte.iter().fold(0, |value, bit| value << 1 | u8::try_from(*bit).unwrap()))
            .collect(),
    )
}

fn as_base64url(text: &str) {
    let decoded = base64url::decode(text).ok();
    assert_eq!(decoded, decode(text));
    assert_eq!(base64url::decode_array::<16>(text).ok().map(Vec::from), decoded.clone().filter(|b| b.len() == 16));
    assert_eq!(base64url::decode_array::<32>(text).ok().map(Vec::from), decoded.clone().filter(|b| b.len() == 32));
    assert_eq!(base64url::decode_array::<64>(text).ok().map(Vec::from), decoded.clone().filter(|b| b.len() == 64));
    if let Some(bytes) = decoded {
        assert_eq!(base64url::encode(&bytes), text, "one text stands for each byte string");
    }
}

fn as_bytes(bytes: &[u8]) {
    let text = base64url::encode(bytes);
    assert_eq!(base64url::decode(&text).ok().as_deref(), Some(bytes).filter(|bytes| !bytes.is_empty()));
    let mut appended = b"x".to_vec();
    base64url::append(bytes, &mut appended);
    assert_eq!(appended, format!("x{text}").into_bytes());
    as_agent_id(&format!("{PREFIX}{text}"));
}

fn as_agent_id(text: &str) {
    let point =
        text.strip_prefix("ed25519:").and_then(decode).and_then(|b| <[u8; 32]>::try_from(b).ok()).and_then(|b| {
            let point = CompressedEdwardsY(b).decompress()?;
            (point.compress().to_bytes() == b && !point.is_small_order()).then_some(b)
        });
    let id = AgentId::parse(text);
    assert_eq!(id.as_ref().ok().map(AgentId::public_key), point.as_ref());
    if let Ok(id) = id {
        assert_eq!((id.as_str(), id.to_string().as_str(), text.len()), (text, text, 51));
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(serde_json::from_str::<AgentId>(&json).unwrap(), id);
        assert!(id.verify(b"", &[0; 64]).is_err());
    }
}

/// base64url, agent ids and hashes: each against a second reader of the same grammar.
pub fn encoding(data: &[u8]) {
    let (which, rest) = choose(data);
    let text = String::from_utf8_lossy(rest);
    match which % 4 {
        0 => as_base64url(&text),
        1 => as_bytes(rest),
        2 => as_agent_id(&text),
        _ => {
            assert_eq!(is_sha256_hex(&text), parse_sha256(&text).is_some());
            if let Some(hash) = parse_sha256(&text) {
                assert_eq!(hex::encode(hash), text);
            }
        }
    }
}
