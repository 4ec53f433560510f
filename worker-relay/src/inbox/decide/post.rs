//! May this envelope be stored?

use super::usage::Usage;
use crate::clock::Now;
use crate::limits::Limits;
use crate::problem::Problem;

/// What an inbox knows that bears on one envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// The sender is on the allowlist in force. `false` as well where no allowlist ever was.
    pub sender_allowed: bool,
    /// What is stored, or was trimmed and is still remembered, under this envelope's id.
    pub same_id: Option<SameId>,
    /// All that waits in the inbox.
    pub inbox: Usage,
    /// What of it is this sender's.
    pub sender: Usage,
}

/// How an earlier envelope of the same id compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SameId {
    /// The same bytes: a retry.
    SameBytes,
    /// Other bytes.
    OtherBytes,
}

/// The envelope, verified before the inbox was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Bytes on the wire.
    pub size: u64,
    /// Its ttl, unix seconds.
    pub ttl_s: u64,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Store it until this moment (unix milliseconds).
    Store {
        /// Unix milliseconds.
        expires_at: u64,
    },
    /// It is here, or was; nothing is written.
    AlreadyHere,
}

/// Decides, in the draft's order: allowlist, then id, then room.
///
/// # Errors
/// `recipient_not_allowed`, `envelope_id_collision`, `inbox_full`.
pub fn decide(view: &View, arrival: Arrival, now: Now, limits: &Limits) -> Result<Outcome, Problem> {
    if !view.sender_allowed {
        return Err(Problem::RECIPIENT_NOT_ALLOWED);
    }
    match view.same_id {
        Some(SameId::SameBytes) => return Ok(Outcome::AlreadyHere),
        Some(SameId::OtherBytes) => return Err(Problem::ENVELOPE_ID_COLLISION),
        None => {}
    }
    if !has_room(view, arrival.size, limits) {
        return Err(Problem::INBOX_FULL);
    }
    let expires_at = arrival.ttl_s.saturating_mul(1_000).min(now.after(limits.envelope_life_ms));
    Ok(Outcome::Store { expires_at })
}

fn has_room(view: &View, size: u64, limits: &Limits) -> bool {
    let (inbox, sender) = (view.inbox.plus(size), view.sender.plus(size));
    let reserve = if sender.bytes <= limits.reserve_holding_bytes { 0 } else { limits.reserve_bytes };
    sender.fits(limits.sender_rows, limits.sender_bytes)
        && inbox.fits(limits.inbox_rows, limits.inbox_bytes.saturating_sub(reserve))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Now = Now { ms: 1_000_000 };
    const KIB: u64 = 1_024;
    const MIB: u64 = 1_024 * KIB;

    fn view() -> View {
        View { sender_allowed: true, same_id: None, inbox: Usage::default(), sender: Usage::default() }
    }

    fn arrival(size: u64) -> Arrival {
        Arrival { size, ttl_s: 2_000 }
    }

    fn fits(inbox: Usage, sender: Usage, size: u64) -> bool {
        let decided = decide(&View { inbox, sender, ..view() }, arrival(size), NOW, &Limits::default());
        match decided {
            Ok(Outcome::Store { .. }) => true,
            Err(problem) if problem == Problem::INBOX_FULL => false,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_stranger_learns_nothing_but_the_refusal() {
        for same_id in [None, Some(SameId::SameBytes), Some(SameId::OtherBytes)] {
            let full = Usage { rows: u64::MAX, bytes: u64::MAX };
            let view = View { sender_allowed: false, same_id, inbox: full, sender: full };
            let decided = decide(&view, arrival(1), NOW, &Limits::default());
            assert_eq!(decided, Err(Problem::RECIPIENT_NOT_ALLOWED));
        }
    }

    #[test]
    fn a_retry_is_answered_even_when_the_inbox_is_full() {
        let full = Usage { rows: u64::MAX, bytes: u64::MAX };
        let same = View { same_id: Some(SameId::SameBytes), inbox: full, sender: full, ..view() };
        assert_eq!(decide(&same, arrival(1), NOW, &Limits::default()), Ok(Outcome::AlreadyHere));
        let other = View { same_id: Some(SameId::OtherBytes), ..same };
        assert_eq!(decide(&other, arrival(1), NOW, &Limits::default()), Err(Problem::ENVELOPE_ID_COLLISION));
    }

    #[test]
    fn expiry_is_the_ttl_but_at_most_thirty_days() {
        let month = 30 * 86_400_000;
        for (ttl_s, expires_at) in [
            (2_000, 2_000_000),
            ((NOW.ms + month) / 1_000, NOW.ms + month),
            ((NOW.ms + month) / 1_000 + 1, NOW.ms + month),
            (u64::MAX, NOW.ms + month),
        ] {
            let decided = decide(&view(), Arrival { size: 1, ttl_s }, NOW, &Limits::default());
            assert_eq!(decided, Ok(Outcome::Store { expires_at }));
        }
    }

    #[test]
    fn rows_of_an_inbox_and_of_a_sender() {
        let none = Usage::default();
        for (held, room) in [(4_094, true), (4_095, true), (4_096, false)] {
            assert_eq!(fits(Usage { rows: held, bytes: 0 }, none, 1), room, "inbox holds {held}");
        }
        for (held, room) in [(1_022, true), (1_023, true), (1_024, false)] {
            assert_eq!(fits(none, Usage { rows: held, bytes: 0 }, 1), room, "sender holds {held}");
        }
    }

    #[test]
    fn bytes_of_a_sender() {
        for (size, room) in [(KIB - 1, true), (KIB, true), (KIB + 1, false)] {
            assert_eq!(fits(Usage::default(), Usage { rows: 1, bytes: 8 * MIB - KIB }, size), room);
        }
    }

    #[test]
    fn the_last_mebibyte_is_for_senders_that_hold_little() {
        let quiet = |held| Usage { rows: 1, bytes: held };
        // A sender above 64 KiB ends one MiB early.
        for (size, room) in [(KIB - 1, true), (KIB, true), (KIB + 1, false)] {
            assert_eq!(fits(Usage { rows: 1, bytes: 63 * MIB - KIB }, quiet(64 * KIB), size), room);
        }
        // A quiet one may go to the very end.
        for (size, room) in [(KIB - 1, true), (KIB, true), (KIB + 1, false)] {
            assert_eq!(fits(Usage { rows: 1, bytes: 64 * MIB - KIB }, quiet(0), size), room);
        }
        // Quiet means: at most 64 KiB with this envelope.
        for (held, room) in [(63 * KIB - 1, true), (63 * KIB, true), (63 * KIB + 1, false)] {
            assert_eq!(fits(Usage { rows: 1, bytes: 63 * MIB }, quiet(held), KIB), room);
        }
    }
}
