//! Sealing: encrypt, build the body, sign it, build the wire.

use rand_core::CryptoRng;

use super::NONCE_BYTES;
use super::pair_key::PairKey;
use crate::base64url;
use crate::identity::{AgentId, Keypair};
use crate::limits::ENVELOPE_BYTES;

/// Why an envelope was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SealFault {
    /// The wire would exceed 65,536 bytes.
    TooLarge,
    /// A header cannot be written as JSON, or the cipher refused.
    Header,
}

/// The signed body keys of `bond/1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Now, unix milliseconds.
    pub sealed_at: u64,
    /// The sequence number sealed last on this thread, 0 first.
    pub prev: u64,
}

/// An envelope before it is sealed.
#[derive(Debug, Clone, Copy)]
pub struct Draft<'a> {
    /// The sender.
    pub from: &'a Keypair,
    /// The recipient.
    pub to: &'a AgentId,
    /// A fresh UUID.
    pub id: &'a str,
    /// The type, such as `core.msg`.
    pub kind: &'a str,
    /// The thread.
    pub thread: &'a str,
    /// Position in the thread, from 1.
    pub seq: u64,
    /// Expiry, unix seconds.
    pub ttl: u64,
    /// Present under `bond/1`.
    pub stamp: Option<Stamp>,
    /// UTF-8 JSON of one object.
    pub plaintext: &'a [u8],
}

/// Seals an envelope with a fresh nonce.
///
/// # Errors
/// [`SealFault::TooLarge`] if it does not fit the wire.
pub fn seal(draft: &Draft<'_>, key: &PairKey, rng: &mut impl CryptoRng) -> Result<Vec<u8>, SealFault> {
    seal_recording(draft, key, rng).map(|(wire, _)| wire)
}

/// Seals like [`seal`], and tells the nonce: the engine remembers it, so that nobody can play it back.
pub(crate) fn seal_recording(
    draft: &Draft<'_>,
    key: &PairKey,
    rng: &mut impl CryptoRng,
) -> Result<(Vec<u8>, [u8; NONCE_BYTES]), SealFault> {
    let mut nonce = [0; NONCE_BYTES];
    rng.fill_bytes(&mut nonce);
    Ok((seal_with(draft, key, &nonce)?, nonce))
}

/// Seals with a nonce of the caller's: for vectors and benches only. Two messages under one nonce reveal both.
///
/// # Errors
/// As [`seal`].
#[cfg(feature = "hazmat")]
pub fn seal_with_nonce(draft: &Draft<'_>, key: &PairKey, nonce: &[u8; NONCE_BYTES]) -> Result<Vec<u8>, SealFault> {
    seal_with(draft, key, nonce)
}

fn seal_with(draft: &Draft<'_>, key: &PairKey, nonce: &[u8; NONCE_BYTES]) -> Result<Vec<u8>, SealFault> {
    // The plaintext grows by 4/3 twice on its way: refuse what cannot fit before encrypting and signing it.
    if draft.plaintext.len() > ENVELOPE_BYTES * 9 / 16 {
        return Err(SealFault::TooLarge);
    }
    let payload = key.seal(nonce, draft.plaintext).ok_or(SealFault::Header)?;
    let from = draft.from.agent_id().as_str();
    let to = draft.to.as_str();

    let mut body = Vec::with_capacity(payload.len() * 4 / 3 + 512);
    push(&mut body, "{\"v\":1,\"id\":");
    push_json(&mut body, draft.id)?;
    push(&mut body, ",\"from\":\"");
    push(&mut body, from);
    push(&mut body, "\",\"to\":\"");
    push(&mut body, to);
    push(&mut body, "\",\"type\":");
    push_json(&mut body, draft.kind)?;
    push(&mut body, ",\"thread\":");
    push_json(&mut body, draft.thread)?;
    push_number(&mut body, ",\"seq\":", draft.seq);
    push_number(&mut body, ",\"ttl\":", draft.ttl);
    push(&mut body, ",\"payload\":\"");
    base64url::append(&payload, &mut body);
    push(&mut body, "\"");
    if let Some(Stamp { sealed_at, prev }) = draft.stamp {
        push_number(&mut body, ",\"ts\":", sealed_at);
        push_number(&mut body, ",\"prev\":", prev);
    }
    push(&mut body, "}");
    let signature = draft.from.sign(&body);

    let mut wire = Vec::with_capacity(body.len() * 4 / 3 + 256);
    push(&mut wire, "{\"v\":1,\"from\":\"");
    push(&mut wire, from);
    push(&mut wire, "\",\"to\":\"");
    push(&mut wire, to);
    push(&mut wire, "\",\"blob\":\"");
    base64url::append(&body, &mut wire);
    push(&mut wire, "\",\"sig\":\"");
    base64url::append(&signature, &mut wire);
    push(&mut wire, "\"}");
    if wire.len() > ENVELOPE_BYTES {
        return Err(SealFault::TooLarge);
    }
    Ok(wire)
}

fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

fn push_json(out: &mut Vec<u8>, value: &str) -> Result<(), SealFault> {
    serde_json::to_writer(out, value).map_err(|_| SealFault::Header)
}

fn push_number(out: &mut Vec<u8>, key: &str, value: u64) {
    push(out, key);
    push(out, &value.to_string());
}
