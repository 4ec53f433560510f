//! Relay challenges: stateless for the relay, and of one shape for the host that signs them.
//!
//! 32 bytes, 43 characters: `A7 50`, purpose, expiry (u32be seconds), 5 random bytes, origin (10), MAC (10).
//! The draft's relays send 32 opaque bytes instead. What carries our magic must name this relay and
//! this purpose, or it is not signed (weaknesses 2 and 6).

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::base64url;
use crate::identity::Transcript;

const MAGIC: [u8; 2] = [0xa7, 0x50];
const ORIGIN_BYTES: usize = 10;
const SIGNED_BYTES: usize = 22;
const CHALLENGE_BYTES: usize = 32;

/// What a signed challenge allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Read the inbox.
    Pull = 1,
    /// Purge what one sender left.
    Purge = 2,
    /// Open the live stream.
    Live = 3,
    /// Delete what was processed.
    Trim = 4,
    /// Read the state of an invite.
    Invite = 5,
}

/// The challenge is not to be signed, or not to be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadChallenge;

/// The origin part of a challenge: which relay issued it.
#[must_use]
pub fn origin(host: &str) -> [u8; ORIGIN_BYTES] {
    let digest = Transcript::new().raw(host).digest("agentpair-origin-v1");
    let mut origin = [0; ORIGIN_BYTES];
    origin.copy_from_slice(digest.split_at(ORIGIN_BYTES).0);
    origin
}

fn mac(key: &[u8; 32], agent_id: &str, signed: &[u8]) -> Result<Hmac<Sha256>, BadChallenge> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(|_| BadChallenge)?;
    for part in [b"agentpair-challenge-v1\0".as_slice(), agent_id.as_bytes(), b"\0", signed] {
        mac.update(part);
    }
    Ok(mac)
}

/// Makes a challenge (relay side). `host` is `host[:port]` as the client addresses the relay.
///
/// # Errors
/// None in practice: a 32-byte key is always accepted.
pub fn issue(
    key: &[u8; 32],
    agent_id: &str,
    purpose: Purpose,
    host: &str,
    expires_at_s: u32,
    random: [u8; 5],
) -> Result<String, BadChallenge> {
    let mut bytes = Vec::with_capacity(CHALLENGE_BYTES);
    bytes.extend_from_slice(&MAGIC);
    bytes.push(purpose as u8);
    bytes.extend_from_slice(&expires_at_s.to_be_bytes());
    bytes.extend_from_slice(&random);
    bytes.extend_from_slice(&origin(host));
    let tag = mac(key, agent_id, &bytes)?.finalize().into_bytes();
    bytes.extend_from_slice(tag.split_at(10).0);
    Ok(base64url::encode(&bytes))
}

/// Checks that this relay issued the challenge for this agent and purpose, and that it has not expired (relay side).
/// Single use is the caller's: it stores what it accepted until the expiry returned here (unix seconds).
///
/// # Errors
/// [`BadChallenge`].
pub fn check(key: &[u8; 32], agent_id: &str, purpose: Purpose, text: &str, now_s: u64) -> Result<u64, BadChallenge> {
    let bytes: [u8; CHALLENGE_BYTES] = base64url::decode_array(text).map_err(|_| BadChallenge)?;
    let (signed, tag) = bytes.split_at(SIGNED_BYTES);
    mac(key, agent_id, signed)?.verify_truncated_left(tag).map_err(|_| BadChallenge)?;
    let parsed = Parsed::of(&bytes).ok_or(BadChallenge)?;
    if parsed.purpose != purpose as u8 || parsed.expires_at_s <= now_s {
        return Err(BadChallenge);
    }
    Ok(parsed.expires_at_s)
}

/// Whether a host may sign this text: 43 characters of canonical base64url which, if they carry our
/// magic, name the relay that the host asked and the purpose it asked for (host side).
///
/// # Errors
/// [`BadChallenge`].
pub fn may_sign(text: &str, host: &str, purpose: Purpose) -> Result<(), BadChallenge> {
    let bytes: [u8; CHALLENGE_BYTES] = base64url::decode_array(text).map_err(|_| BadChallenge)?;
    match Parsed::of(&bytes) {
        Some(parsed) if parsed.purpose != purpose as u8 || parsed.origin != origin(host) => Err(BadChallenge),
        _ => Ok(()),
    }
}

struct Parsed {
    purpose: u8,
    expires_at_s: u64,
    origin: [u8; ORIGIN_BYTES],
}

impl Parsed {
    fn of(bytes: &[u8; CHALLENGE_BYTES]) -> Option<Self> {
        let rest = bytes.strip_prefix(&MAGIC)?;
        let (purpose, rest) = rest.split_first()?;
        let (expiry, rest) = rest.split_first_chunk::<4>()?;
        let (_, rest) = rest.split_first_chunk::<5>()?;
        let (origin, _) = rest.split_first_chunk::<ORIGIN_BYTES>()?;
        Some(Self { purpose: *purpose, expires_at_s: u32::from_be_bytes(*expiry).into(), origin: *origin })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [9; 32];

    fn challenge() -> String {
        issue(&KEY, "ed25519:a", Purpose::Pull, "relay.example:8443", 1_000, [1; 5]).unwrap()
    }

    #[test]
    fn relay_believes_only_its_own() {
        let text = challenge();
        assert_eq!(text.len(), 43);
        assert_eq!(check(&KEY, "ed25519:a", Purpose::Pull, &text, 999), Ok(1_000));
        assert_eq!(check(&KEY, "ed25519:a", Purpose::Pull, &text, 1_000), Err(BadChallenge));
        assert_eq!(check(&KEY, "ed25519:b", Purpose::Pull, &text, 999), Err(BadChallenge));
        assert_eq!(check(&KEY, "ed25519:a", Purpose::Purge, &text, 999), Err(BadChallenge));
        assert_eq!(check(&[8; 32], "ed25519:a", Purpose::Pull, &text, 999), Err(BadChallenge));
    }

    #[test]
    fn host_signs_only_for_the_relay_and_purpose_it_asked() {
        let text = challenge();
        assert!(may_sign(&text, "relay.example:8443", Purpose::Pull).is_ok());
        assert!(may_sign(&text, "relay.example", Purpose::Pull).is_err());
        assert!(may_sign(&text, "relay.example:8443", Purpose::Purge).is_err());
        let opaque = base64url::encode(&[3; 32]);
        assert!(may_sign(&opaque, "relay.example", Purpose::Pull).is_ok());
        for text in ["", "{\"v\":1}", &base64url::encode(&[3; 33]), &format!("{opaque}=")] {
            assert!(may_sign(text, "relay.example", Purpose::Pull).is_err(), "{text}");
        }
    }
}
