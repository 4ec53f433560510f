//! The life of a published invite, as functions of what is held and the time.

use crate::clock::Now;
use crate::limits::Limits;
use crate::problem::Problem;

/// An invite, as far as decisions need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// SHA-256 of the signed bytes.
    pub digest: [u8; 32],
    /// Its end, unix milliseconds; the end itself is too late.
    pub expires_at: u64,
    /// When it was withdrawn, unix milliseconds.
    pub withdrawn_at: Option<u64>,
    /// The claim that it was handed out to.
    pub claim_id: Option<String>,
    /// Claims that were refused because of an earlier one.
    pub refused: u64,
}

/// Where an invite is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase<'a> {
    /// Never published, or forgotten.
    Absent,
    /// Waiting for its claim.
    Open(&'a Record),
    /// Handed out.
    Claimed(&'a Record),
    /// Withdrawn or expired, and still known to have been.
    Ended(&'a Record),
}

/// The phase of an invite at a moment.
#[must_use]
pub fn phase<'a>(record: Option<&'a Record>, now: Now, limits: &Limits) -> Phase<'a> {
    let Some(record) = record else { return Phase::Absent };
    let end = record.withdrawn_at.map_or(record.expires_at, |at| at.min(record.expires_at));
    if now.reached(end.saturating_add(limits.tombstone_ms)) {
        Phase::Absent
    } else if now.reached(end) {
        Phase::Ended(record)
    } else if record.claim_id.is_some() {
        Phase::Claimed(record)
    } else {
        Phase::Open(record)
    }
}

/// An invite that is offered for publication, verified before the object was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// SHA-256 of the signed bytes.
    pub digest: [u8; 32],
    /// The end that it names, unix milliseconds.
    pub expires_at: u64,
}

/// What to do with an offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Publication {
    /// Publish it until this moment.
    Publish {
        /// Unix milliseconds.
        expires_at: u64,
    },
    /// The identical bytes are published already.
    Already,
}

/// May this invite be published under its name?
///
/// # Errors
/// `invite_expired` if it is past its own end, `invite_taken`.
pub fn publish(phase: Phase<'_>, offer: Offer, now: Now, limits: &Limits) -> Result<Publication, Problem> {
    if now.reached(offer.expires_at) {
        return Err(Problem::INVITE_EXPIRED);
    }
    match phase {
        Phase::Absent => Ok(Publication::Publish { expires_at: offer.expires_at.min(now.after(limits.invite_ms)) }),
        Phase::Open(record) | Phase::Claimed(record) if record.digest == offer.digest => Ok(Publication::Already),
        _ => Err(Problem::INVITE_TAKEN),
    }
}

/// What to do with a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// Mark it claimed, open its session, hand it out.
    First,
    /// Hand it out again to the one who has it.
    Again,
    /// Refuse, and count.
    RefuseAndCount,
    /// Refuse; enough were counted.
    Refuse,
}

/// May this claim have the invite?
///
/// # Errors
/// `invite_not_found`, `invite_expired`.
pub fn claim(phase: Phase<'_>, claim_id: &str, limits: &Limits) -> Result<Claim, Problem> {
    match phase {
        Phase::Absent => Err(Problem::INVITE_NOT_FOUND),
        Phase::Ended(_) => Err(Problem::INVITE_EXPIRED),
        Phase::Open(_) => Ok(Claim::First),
        Phase::Claimed(record) if record.claim_id.as_deref() == Some(claim_id) => Ok(Claim::Again),
        Phase::Claimed(record) if record.refused < limits.refused_claims => Ok(Claim::RefuseAndCount),
        Phase::Claimed(_) => Ok(Claim::Refuse),
    }
}

/// The word that the owner is told.
#[must_use]
pub fn state(phase: Phase<'_>) -> Option<&'static str> {
    match phase {
        Phase::Absent => None,
        Phase::Open(_) => Some("open"),
        Phase::Claimed(_) => Some("claimed"),
        Phase::Ended(Record { withdrawn_at: Some(_), .. }) => Some("withdrawn"),
        Phase::Ended(_) => Some("expired"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Now = Now { ms: 1_000_000 };
    const HALF_HOUR: u64 = 1_800_000;

    fn record(claim_id: Option<&str>) -> Record {
        Record {
            digest: [1; 32],
            expires_at: 2_000_000,
            withdrawn_at: None,
            claim_id: claim_id.map(str::to_owned),
            refused: 0,
        }
    }

    fn offer(digest: u8, expires_at: u64) -> Offer {
        Offer { digest: [digest; 32], expires_at }
    }

    #[test]
    fn phases_over_time() {
        let limits = Limits::default();
        let (open, claimed) = (record(None), record(Some("c")));
        let at = |record, ms| phase(Some(record), Now { ms }, &limits);
        assert_eq!(at(&open, 1_999_999), Phase::Open(&open));
        assert_eq!(at(&claimed, 1_999_999), Phase::Claimed(&claimed));
        assert_eq!(at(&open, 2_000_000), Phase::Ended(&open));
        assert_eq!(at(&claimed, 2_599_999), Phase::Ended(&claimed));
        assert_eq!(at(&open, 2_600_000), Phase::Absent);
        let withdrawn = Record { withdrawn_at: Some(1_500_000), ..record(None) };
        assert_eq!(at(&withdrawn, 1_499_999), Phase::Open(&withdrawn));
        assert_eq!(at(&withdrawn, 1_500_000), Phase::Ended(&withdrawn));
        assert_eq!(at(&withdrawn, 2_100_000), Phase::Absent);
        assert_eq!(phase(None, NOW, &limits), Phase::Absent);
    }

    #[test]
    fn an_end_is_clamped_to_half_an_hour() {
        let limits = Limits::default();
        for (end, expected) in [
            (NOW.ms + HALF_HOUR - 1, NOW.ms + HALF_HOUR - 1),
            (NOW.ms + HALF_HOUR, NOW.ms + HALF_HOUR),
            (NOW.ms + HALF_HOUR + 1, NOW.ms + HALF_HOUR),
            (u64::MAX, NOW.ms + HALF_HOUR),
        ] {
            let published = publish(Phase::Absent, offer(1, end), NOW, &limits);
            assert_eq!(published, Ok(Publication::Publish { expires_at: expected }));
        }
        assert_eq!(publish(Phase::Absent, offer(1, NOW.ms), NOW, &limits), Err(Problem::INVITE_EXPIRED));
    }

    #[test]
    fn a_name_is_taken_until_it_is_forgotten() {
        let (limits, record) = (Limits::default(), record(None));
        let publish = |phase, digest| publish(phase, offer(digest, 3_000_000), NOW, &limits);
        assert_eq!(publish(Phase::Open(&record), 1), Ok(Publication::Already));
        assert_eq!(publish(Phase::Claimed(&record), 1), Ok(Publication::Already));
        for taken in
            [publish(Phase::Open(&record), 2), publish(Phase::Claimed(&record), 2), publish(Phase::Ended(&record), 1)]
        {
            assert_eq!(taken, Err(Problem::INVITE_TAKEN));
        }
    }

    #[test]
    fn one_claim_has_it_however_often_it_asks() {
        let (limits, claimed) = (Limits::default(), record(Some("c")));
        assert_eq!(claim(Phase::Absent, "c", &limits), Err(Problem::INVITE_NOT_FOUND));
        assert_eq!(claim(Phase::Ended(&claimed), "c", &limits), Err(Problem::INVITE_EXPIRED));
        assert_eq!(claim(Phase::Open(&record(None)), "c", &limits), Ok(Claim::First));
        assert_eq!(claim(Phase::Claimed(&claimed), "c", &limits), Ok(Claim::Again));
        for (refused, expected) in
            [(0, Claim::RefuseAndCount), (999, Claim::RefuseAndCount), (1_000, Claim::Refuse), (1_001, Claim::Refuse)]
        {
            let claimed = Record { refused, ..claimed.clone() };
            assert_eq!(claim(Phase::Claimed(&claimed), "d", &limits), Ok(expected));
        }
    }

    #[test]
    fn words_for_the_owner() {
        let withdrawn = Record { withdrawn_at: Some(0), ..record(None) };
        let open = record(None);
        let words =
            [Phase::Absent, Phase::Open(&open), Phase::Claimed(&open), Phase::Ended(&open), Phase::Ended(&withdrawn)];
        assert_eq!(words.map(state), [None, Some("open"), Some("claimed"), Some("expired"), Some("withdrawn")]);
    }
}
