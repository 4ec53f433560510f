//! The single slot of a pairing session, as functions of what it holds and the time.

use std::time::Duration;

use crate::clock::Now;
use crate::limits::Limits;
use crate::problem::Problem;

/// The slot, as far as decisions need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// The entity tag of the message in it.
    pub etag: String,
    /// The session's end, fixed by its first message. Unix milliseconds; the end itself is too late.
    pub expires_at: u64,
}

/// Where a session is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase<'a> {
    /// Never begun, or forgotten.
    Absent,
    /// Open.
    Open(&'a Slot),
    /// Ended, and still known to have been.
    Lost,
}

/// The phase of a session at a moment.
#[must_use]
pub fn phase<'a>(slot: Option<&'a Slot>, now: Now, limits: &Limits) -> Phase<'a> {
    match slot {
        None => Phase::Absent,
        Some(slot) if !now.reached(slot.expires_at) => Phase::Open(slot),
        Some(slot) if !now.reached(slot.expires_at.saturating_add(limits.tombstone_ms)) => Phase::Lost,
        Some(_) => Phase::Absent,
    }
}

/// A message was accepted: the session's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Put {
    /// Unix milliseconds.
    pub expires_at: u64,
    /// This message begins the session.
    pub begins: bool,
}

/// May this message go into the slot? `condition` is the text of `If-Match`.
///
/// # Errors
/// `payload_too_large`, `pair_session_lost`, `pair_slot_changed`.
pub fn post(phase: Phase<'_>, condition: Option<&str>, size: u64, now: Now, limits: &Limits) -> Result<Put, Problem> {
    if size > limits.pair_message_bytes {
        return Err(Problem::PAYLOAD_TOO_LARGE);
    }
    let current = match phase {
        Phase::Lost => return Err(Problem::PAIR_SESSION_LOST),
        Phase::Open(slot) => Some(slot),
        Phase::Absent => None,
    };
    if condition.is_some_and(|condition| !matches(condition, current.map(|slot| slot.etag.as_str()))) {
        return Err(Problem::PAIR_SLOT_CHANGED);
    }
    Ok(match current {
        Some(slot) => Put { expires_at: slot.expires_at, begins: false },
        None => Put { expires_at: now.after(limits.pair_session_ms), begins: true },
    })
}

/// What a read finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// A message that the reader does not have.
    Message,
    /// The message that the reader has: 304, or reason to wait.
    Unchanged,
    /// No session: 404, or reason to wait.
    Absent,
}

/// What a reader that has the message `not` finds.
///
/// # Errors
/// `pair_session_lost`.
pub fn look(phase: Phase<'_>, not: Option<&str>) -> Result<Look, Problem> {
    match phase {
        Phase::Lost => Err(Problem::PAIR_SESSION_LOST),
        Phase::Absent => Ok(Look::Absent),
        Phase::Open(slot) if not == Some(slot.etag.as_str()) => Ok(Look::Unchanged),
        Phase::Open(_) => Ok(Look::Message),
    }
}

/// The `wait` of a query in milliseconds: whole or fractional seconds, capped; anything else is no wait.
#[must_use]
pub fn wait_ms(text: Option<&str>, limits: &Limits) -> u64 {
    let seconds: f64 = text.and_then(|text| text.parse().ok()).unwrap_or(0.0);
    let most = Duration::from_millis(limits.pair_wait_ms);
    // What is no number stays none under `clamp`, and is then no duration.
    let asked = Duration::try_from_secs_f64(seconds.clamp(0.0, most.as_secs_f64())).unwrap_or_default();
    u64::try_from(asked.as_millis()).unwrap_or(limits.pair_wait_ms)
}

/// Whether an `If-Match` (`*`, or a list of tags with or without quotes) names the tag. Without a slot nothing does.
fn matches(condition: &str, etag: Option<&str>) -> bool {
    let Some(etag) = etag else { return false };
    condition.split(',').map(str::trim).any(|tag| tag == "*" || tag.trim_matches('"') == etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Now = Now { ms: 1_000_000 };

    fn slot(expires_at: u64) -> Slot {
        Slot { etag: "ab12".to_owned(), expires_at }
    }

    #[test]
    fn five_minutes_open_then_ten_minutes_lost_then_forgotten() {
        let (limits, slot) = (Limits::default(), slot(1_000_000));
        let at = |ms| phase(Some(&slot), Now { ms }, &limits);
        assert_eq!(at(999_999), Phase::Open(&slot));
        assert_eq!(at(1_000_000), Phase::Lost);
        assert_eq!(at(1_005_000), Phase::Lost);
        assert_eq!(at(1_599_999), Phase::Lost);
        assert_eq!(at(1_600_000), Phase::Absent);
        assert_eq!(phase(None, NOW, &limits), Phase::Absent);
    }

    #[test]
    fn the_first_message_fixes_the_end() {
        let limits = Limits::default();
        let put = post(Phase::Absent, None, 1, NOW, &limits);
        assert_eq!(put, Ok(Put { expires_at: 1_300_000, begins: true }));
        let later = post(Phase::Open(&slot(1_200_000)), None, 1, NOW, &limits);
        assert_eq!(later, Ok(Put { expires_at: 1_200_000, begins: false }));
        assert_eq!(post(Phase::Lost, None, 1, NOW, &limits), Err(Problem::PAIR_SESSION_LOST));
    }

    #[test]
    fn a_message_up_to_the_cap() {
        let limits = Limits::default();
        for (size, ok) in [(16_383, true), (16_384, true), (16_385, false)] {
            assert_eq!(post(Phase::Absent, None, size, NOW, &limits).is_ok(), ok);
        }
    }

    #[test]
    fn a_condition_holds_only_for_the_message_in_the_slot() {
        let (limits, slot) = (Limits::default(), slot(1_200_000));
        for (condition, ok) in [
            ("\"ab12\"", true),
            ("ab12", true),
            ("*", true),
            ("\"x\", \"ab12\"", true),
            ("\"x\"", false),
            ("", false),
            ("W/\"ab12\"", false),
            ("\"AB12\"", false),
        ] {
            assert_eq!(post(Phase::Open(&slot), Some(condition), 1, NOW, &limits).is_ok(), ok, "{condition}");
            assert_eq!(post(Phase::Absent, Some(condition), 1, NOW, &limits), Err(Problem::PAIR_SLOT_CHANGED));
        }
    }

    #[test]
    fn a_reader_is_told_what_it_does_not_have() {
        let slot = slot(1_200_000);
        assert_eq!(look(Phase::Open(&slot), None), Ok(Look::Message));
        assert_eq!(look(Phase::Open(&slot), Some("other")), Ok(Look::Message));
        assert_eq!(look(Phase::Open(&slot), Some("ab12")), Ok(Look::Unchanged));
        assert_eq!(look(Phase::Absent, Some("ab12")), Ok(Look::Absent));
        assert_eq!(look(Phase::Lost, None), Err(Problem::PAIR_SESSION_LOST));
    }

    #[test]
    fn a_wait_is_capped() {
        let limits = Limits::default();
        for (text, ms) in [
            (None, 0),
            (Some(""), 0),
            (Some("x"), 0),
            (Some("-1"), 0),
            (Some("NaN"), 0),
            (Some("0.25"), 250),
            (Some("24"), 24_000),
            (Some("25"), 25_000),
            (Some("26"), 25_000),
            (Some("1e300"), 25_000),
            (Some("inf"), 25_000),
        ] {
            assert_eq!(wait_ms(text, &limits), ms, "{text:?}");
        }
    }
}
