//! Choices out of bytes.

use arbitrary::Unstructured;

use super::drive::{Call, Driven};
use super::letters::{self, Letter};
use super::stages::Stage;

/// A byte; zero once there are none left.
pub(super) fn byte(u: &mut Unstructured<'_>) -> u8 {
    u.arbitrary().unwrap_or(0)
}

/// True for one byte in `n`.
pub(super) fn one_in(u: &mut Unstructured<'_>, n: u8) -> bool {
    byte(u).is_multiple_of(n)
}

/// One of some.
pub(super) fn pick<T: Clone>(u: &mut Unstructured<'_>, from: &[T]) -> T {
    from[usize::from(byte(u)) % from.len()].clone()
}

/// A short text of the input's own.
pub(super) fn text(u: &mut Unstructured<'_>) -> String {
    let len = usize::from(byte(u)).min(u.len());
    String::from_utf8_lossy(u.bytes(len).unwrap_or_default()).into_owned()
}

pub(super) fn span_ms(u: &mut Unstructured<'_>) -> u64 {
    const MINUTE: u64 = 60_000;
    const DAY: u64 = 24 * 60 * MINUTE;
    pick(u, &[0, 1, 250, 2_000, 30_000, 5 * MINUTE, 31 * MINUTE, 60 * MINUTE, DAY, 8 * DAY, 32 * DAY, 400 * DAY])
}

pub(super) fn status(u: &mut Unstructured<'_>) -> u16 {
    pick(u, &[200, 201, 204, 304, 400, 401, 403, 404, 405, 409, 410, 412, 413, 429, 500, 503])
}

const ERRORS: [&str; 14] = [
    "recipient_not_allowed",
    "envelope_expired",
    "envelope_id_collision",
    "inbox_full",
    "allowlist_stale",
    "agent_not_registered",
    "challenge_invalid",
    "pair_session_lost",
    "pair_slot_changed",
    "invite_taken",
    "invite_claimed",
    "invite_expired",
    "artifact_not_found",
    "invalid_signature",
];

/// The answer to a call: an honest one, one of the story's texts, an altered one, or anything.
pub(super) fn body(u: &mut Unstructured<'_>, stage: &Stage, host: &Driven, call: &Call, sent: &[String]) -> String {
    match byte(u) % 9 {
        0 => String::new(),
        1 => format!("{{\"error\":\"{}\"}}", pick(u, &ERRORS)),
        2 => host.challenge(call).unwrap_or_default(),
        3 if !stage.texts.is_empty() => pick(u, &stage.texts),
        4 if !stage.texts.is_empty() => {
            let mut bytes = pick(u, &stage.texts).into_bytes();
            let at = usize::from(byte(u)) << 8 | usize::from(byte(u));
            let len = bytes.len();
            bytes[at % len] ^= 1 << (byte(u) % 7);
            String::from_utf8_lossy(&bytes).into_owned()
        }
        5 => {
            let mut wires: Vec<String> = (0..byte(u) % 4).filter_map(|_| wire(u, stage, host, sent)).collect();
            let rows: Vec<String> = wires.iter().map(|_| byte(u).to_string()).collect();
            if one_in(u, 8) {
                wires.pop();
            }
            let epoch = if one_in(u, 2) { String::new() } else { format!(",\"epoch\":\"{}\"", byte(u) % 3) };
            format!("{{\"envelopes\":[{}],\"rowids\":[{}],\"more\":true{epoch}}}", wires.join(","), rows.join(","))
        }
        6 => "{}".to_owned(),
        _ => text(u),
    }
}

/// An envelope: a new one of the peer's, or one that was sent before.
pub(super) fn wire(u: &mut Unstructured<'_>, stage: &Stage, host: &Driven, sent: &[String]) -> Option<String> {
    let before: Vec<&String> = stage.texts.iter().chain(sent).filter(|text| text.contains("\"blob\"")).collect();
    match byte(u) % 8 {
        7 => (!before.is_empty()).then(|| (*pick(u, &before)).clone()),
        _ => letters::seal(stage.peer.as_ref()?, &Letter::draw(u, stage, host)),
    }
}
