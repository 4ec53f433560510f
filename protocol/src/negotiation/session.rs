//! The session: an enum of phases, each with what it needs and nothing else.
//!
//! ```text
//! Pending -> Live -> Signed -> Agreed
//!    \________\________\____-> Ended
//! ```
//!
//! These are pure moves: they say what changed or why not, and send nothing.

use serde::{Deserialize, Serialize};

use super::agreement::Ratification;
use super::deliverable::Described;
use crate::error::{Refusal, Reject};
use crate::limits::{DAY_MS, HOUR_MS, MINUTE_MS};
use crate::message::{Open, TurnKind, deadline_ms};

/// How long an opening waits for the recipient's human.
pub const OPEN_MS: u64 = HOUR_MS;
/// How long the first ratification waits for the second, at most.
pub const RATIFY_MS: u64 = 7 * DAY_MS;
/// How long a ratification given in time may be on its way.
const RATIFY_GRACE_MS: u64 = 10 * MINUTE_MS;

/// A side of the session, seen from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum Side {
    /// This host.
    Me,
    /// The peer.
    Peer,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The bond.
    pub bond: String,
    /// The thread.
    pub thread: String,
    /// Who opened it.
    pub opened_by: Side,
    /// The terms.
    pub terms: Open,
    /// The exact plaintexts of `nego.open` that may be the accepted one: one for each time it was sealed.
    pub plaintexts: Vec<String>,
    /// Turns used by both sides.
    pub turns: u32,
    /// Turns allowed: the terms', or what an extension raised them to.
    pub max_turns: u32,
    /// The extension being decided.
    pub extension: Option<Extension>,
    /// Where it stands.
    pub phase: Phase,
    /// Unix milliseconds.
    pub created_at: u64,
}

/// Where a session stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// Waiting for the recipient's human.
    Pending(Pending),
    /// Turns are taken.
    Live(Live),
    /// Both signed one hash: it is frozen.
    Signed(SignedPhase),
    /// Both humans ratified.
    Agreed(Agreed),
    /// Over without an agreement.
    Ended(Ended),
}

/// Waiting for the recipient's human.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// Unix milliseconds.
    pub expires_at: u64,
}

/// Turns are taken.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// What this side signed.
    pub mine: Option<SignedHash>,
    /// What the peer signed.
    pub theirs: Option<SignedHash>,
    /// What this side signed before.
    #[serde(default)]
    pub earlier: Vec<String>,
    /// The peer refused the last one: for it, something else is frozen, which this side had signed before.
    #[serde(default)]
    pub is_refused: bool,
}

/// A signed hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedHash {
    /// SHA-256 of the deliverable, lowercase hex.
    pub sha256: String,
    /// The agreement digest, lowercase hex; absent from draft peers.
    pub agreement: Option<String>,
}

/// Both signed one hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedPhase {
    /// The deliverable.
    pub deliverable: Described,
    /// The agreement digest, lowercase hex.
    pub agreement: String,
    /// This side's ratification.
    pub mine: Option<Ratification>,
    /// The peer's. A draft peer's has an empty signature.
    pub theirs: Option<Ratification>,
    /// What this side signed before; nothing once it has followed the peer from one frozen hash to another.
    #[serde(default)]
    pub earlier: Vec<String>,
}

/// Both humans ratified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreed {
    /// The deliverable.
    pub deliverable: Described,
    /// The agreement digest, lowercase hex.
    pub agreement: String,
    /// Whether both signatures were exchanged: then there is a receipt.
    pub has_receipt: bool,
    /// Unix milliseconds.
    pub at: u64,
}

/// Over without an agreement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// A code: `open_rejected`, `open_expired`, `deadline_expired`, `ratify_rejected`, `ratify_expired`,
    /// `bond_revoked`, `thread_closed`, `refused_by_peer`, `undeliverable`, `restored`.
    pub reason: String,
    /// Words of whoever ended it. The peer's are untrusted.
    pub words: Option<String>,
    /// Who ended it.
    pub by: Side,
    /// Unix milliseconds.
    pub at: u64,
    /// What both had signed, if this side had ratified it: the peer's ratification, given in time, still completes it.
    #[serde(default)]
    pub offer: Option<SignedPhase>,
}

/// An extension of the number of turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extension {
    /// A UUID.
    pub proposal_id: String,
    /// The number proposed.
    pub new_max_turns: u32,
    /// Who proposed it.
    pub by: Side,
    /// Whether it was sent to the peer.
    pub sent: bool,
}

/// A turn, stored beside the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnRow {
    /// Its number, from 1.
    pub n: u32,
    /// Who took it.
    pub by: Side,
    /// What it is, in the sender's words.
    pub msg_type: String,
    /// Its text.
    pub body: String,
    /// The deliverable that it puts forward.
    pub deliverable: Option<Described>,
    /// Unix milliseconds.
    pub at: u64,
}

impl Session {
    /// A session just opened by either side.
    #[must_use]
    pub fn open(bond: &str, thread: &str, opened_by: Side, terms: Open, plaintext: String, now: u64) -> Self {
        let deadline = deadline_ms(&terms.budget.deadline).unwrap_or(now);
        Self {
            bond: bond.to_owned(),
            thread: thread.to_owned(),
            opened_by,
            max_turns: terms.budget.max_turns,
            terms,
            plaintexts: vec![plaintext],
            turns: 0,
            extension: None,
            phase: Phase::Pending(Pending { expires_at: deadline.min(now + OPEN_MS) }),
            created_at: now,
        }
    }

    /// Unix milliseconds.
    #[must_use]
    pub fn deadline(&self) -> u64 {
        deadline_ms(&self.terms.budget.deadline).unwrap_or(0)
    }

    /// The name of the phase.
    #[must_use]
    pub fn status(&self) -> &'static str {
        match &self.phase {
            Phase::Pending(_) => "pending",
            Phase::Live(_) => "live",
            Phase::Signed(_) => "signed",
            Phase::Agreed(_) => "agreed",
            Phase::Ended(_) => "ended",
        }
    }

    /// Whether nothing can change any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Agreed(_) | Phase::Ended(_))
    }

    /// Ends it. A session that is over stays as it is.
    pub fn end(&mut self, reason: &str, words: Option<String>, by: Side, now: u64) -> bool {
        if self.is_over() {
            return false;
        }
        self.extension = None;
        let offer = match &self.phase {
            Phase::Signed(signed) if signed.mine.is_some() => Some(signed.clone()),
            _ => None,
        };
        self.phase = Phase::Ended(Ended { reason: reason.to_owned(), words, by, at: now, offer });
        true
    }

    /// When the session changes by itself, and how: its reason and instant.
    #[must_use]
    pub fn expiry(&self) -> Option<(u64, &'static str)> {
        match &self.phase {
            Phase::Pending(pending) => Some((pending.expires_at, "open_expired")),
            Phase::Live(_) => Some((self.deadline(), "deadline_expired")),
            Phase::Signed(signed) => {
                // Whoever ratified first waits until its offer ends, and a little longer: the answer may be on its way.
                let offers = [&signed.mine, &signed.theirs].into_iter().flatten();
                Some(match offers.map(|ratified| ratified.offer_expires_at).min() {
                    Some(offer) => (offer.saturating_add(RATIFY_GRACE_MS), "ratify_expired"),
                    None => (self.deadline(), "deadline_expired"),
                })
            }
            Phase::Agreed(_) | Phase::Ended(_) => None,
        }
    }

    /// The recipient's human agreed: turns may be taken.
    ///
    /// # Errors
    /// [`Reject::SessionNotLive`] unless it is pending.
    pub fn approve_open(&mut self) -> Result<(), Reject> {
        match self.phase {
            Phase::Pending(_) => {
                self.phase = Phase::Live(Live::default());
                Ok(())
            }
            _ => Err(Reject::SessionNotLive),
        }
    }

    /// Counts a turn of either side.
    ///
    /// # Errors
    /// [`Reject::ThreadClosed`], [`Reject::SessionNotLive`], [`Reject::BudgetExhausted`].
    pub fn take_turn(&mut self) -> Result<u32, Reject> {
        self.must_be_live()?;
        if self.turns >= self.max_turns {
            return Err(Reject::BudgetExhausted);
        }
        self.turns += 1;
        Ok(self.turns)
    }

    fn must_be_live(&self) -> Result<&Live, Reject> {
        match &self.phase {
            Phase::Live(live) => Ok(live),
            Phase::Agreed(_) | Phase::Ended(_) => Err(Reject::ThreadClosed),
            Phase::Pending(_) | Phase::Signed(_) => Err(Reject::SessionNotLive),
        }
    }

    /// Whether this side has signed that hash already.
    #[must_use]
    pub fn has_signed(&self, sha256: &str) -> bool {
        match &self.phase {
            Phase::Live(live) => live.mine.as_ref().is_some_and(|mine| mine.sha256 == sha256),
            Phase::Signed(signed) => signed.deliverable.sha256 == sha256,
            _ => false,
        }
    }

    /// Records what a side signed. With two equal hashes, and equal digests where the peer names one, the session
    /// is signed and the hash frozen. Returns whether it is newly signed.
    ///
    /// Signatures cross. What the peer has frozen may not be what is signed last here, but it was signed here once: then
    /// this side follows ([`Session::frozen_elsewhere`]); and where both have frozen different hashes, the recipient
    /// follows the initiator, unless its human has ratified.
    ///
    /// # Errors
    /// [`Reject::HashFrozen`] for another hash after both signed, [`Reject::AgreementMismatch`] for one hash under two
    /// digests, [`Reject::SessionNotLive`], [`Reject::ThreadClosed`].
    pub fn sign(
        &mut self,
        by: Side,
        signed: SignedHash,
        describe: impl FnOnce(&str) -> Option<(Described, String)>,
    ) -> Result<bool, Reject> {
        if let Phase::Signed(frozen) = &self.phase {
            let same = frozen.deliverable.sha256 == signed.sha256
                && signed.agreement.as_ref().is_none_or(|agreement| *agreement == frozen.agreement);
            if same {
                return Ok(false);
            }
            if by == Side::Me || self.opened_by != Side::Peer {
                return Err(Reject::HashFrozen);
            }
            return self.follow(&signed, describe);
        }
        let live = self.must_be_live()?;
        if by == Side::Peer && live.is_refused && live.earlier.contains(&signed.sha256) {
            return self.follow(&signed, describe);
        }
        let other = match by {
            Side::Me => &live.theirs,
            Side::Peer => &live.mine,
        };
        let equal = other.as_ref().is_some_and(|other| other.sha256 == signed.sha256);
        if equal {
            let (mine, theirs) = match (by, other) {
                (Side::Me, other) => (Some(&signed), other.as_ref()),
                (Side::Peer, other) => (other.as_ref(), Some(&signed)),
            };
            let digests = (mine.and_then(|s| s.agreement.as_deref()), theirs.and_then(|s| s.agreement.as_deref()));
            let Some((deliverable, agreement)) = describe(&signed.sha256) else {
                return Err(Reject::AgreementMismatch);
            };
            if digests.0.is_some_and(|d| d != agreement) || digests.1.is_some_and(|d| d != agreement) {
                return Err(Reject::AgreementMismatch);
            }
            self.freeze(deliverable, agreement);
            return Ok(true);
        }
        if let Phase::Live(live) = &mut self.phase {
            match by {
                Side::Me => {
                    let before = live.mine.replace(signed);
                    live.earlier.extend(before.map(|before| before.sha256));
                    live.is_refused = false;
                }
                Side::Peer => live.theirs = Some(signed),
            }
        }
        Ok(false)
    }

    /// Freezes a hash; what this side signed before is remembered, unless one was frozen already.
    fn freeze(&mut self, deliverable: Described, agreement: String) {
        let earlier = match &mut self.phase {
            Phase::Live(live) => {
                let mut earlier = std::mem::take(&mut live.earlier);
                earlier.extend(live.mine.take().map(|mine| mine.sha256));
                earlier
            }
            _ => Vec::new(),
        };
        self.extension = None;
        self.phase = Phase::Signed(SignedPhase { deliverable, agreement, mine: None, theirs: None, earlier });
    }

    /// Freezes what the peer has frozen, if this side signed it too, and its human has ratified nothing else. Once frozen,
    /// that happens once: with one signature under way on each side, an honest peer has no reason for more.
    ///
    /// # Errors
    /// [`Reject::HashFrozen`], [`Reject::AgreementMismatch`].
    pub fn follow(
        &mut self,
        theirs: &SignedHash,
        describe: impl FnOnce(&str) -> Option<(Described, String)>,
    ) -> Result<bool, Reject> {
        let earlier = match &self.phase {
            Phase::Live(live) => &live.earlier,
            Phase::Signed(signed) if signed.mine.is_none() => &signed.earlier,
            _ => return Err(Reject::HashFrozen),
        };
        if !earlier.contains(&theirs.sha256) {
            return Err(Reject::HashFrozen);
        }
        let (deliverable, agreement) = describe(&theirs.sha256).ok_or(Reject::AgreementMismatch)?;
        if theirs.agreement.as_ref().is_some_and(|theirs| *theirs != agreement) {
            return Err(Reject::AgreementMismatch);
        }
        self.freeze(deliverable, agreement);
        Ok(true)
    }

    /// The peer refused what this side signed last, because something else is frozen there. Returns whether the session
    /// is newly signed; it is once the peer's signature is here too.
    pub fn frozen_elsewhere(&mut self, describe: impl FnOnce(&str) -> Option<(Described, String)>) -> bool {
        let Phase::Live(live) = &mut self.phase else { return false };
        live.is_refused = true;
        let Some(theirs) = live.theirs.clone() else { return false };
        self.follow(&theirs, describe).unwrap_or(false)
    }

    /// Records a ratification. Returns whether both sides have ratified now.
    ///
    /// # Errors
    /// [`Reject::SessionNotSigned`], [`Reject::ThreadClosed`], [`Reject::RatifyExpired`] if it came after the other
    /// side's offer had ended.
    pub fn ratify(&mut self, by: Side, ratification: Ratification) -> Result<bool, Reject> {
        // The peer holds our signature, and its own was given in time: evidence is stronger than our closing.
        if let (Side::Peer, Phase::Ended(Ended { offer: Some(offer), .. })) = (by, &self.phase) {
            self.phase = Phase::Signed(offer.clone());
        }
        let signed = match &mut self.phase {
            Phase::Signed(signed) => signed,
            Phase::Agreed(_) | Phase::Ended(_) => return Err(Reject::ThreadClosed),
            Phase::Pending(_) | Phase::Live(_) => return Err(Reject::SessionNotSigned),
        };
        let (own, other) = match by {
            Side::Me => (&mut signed.mine, &signed.theirs),
            Side::Peer => (&mut signed.theirs, &signed.mine),
        };
        if own.is_some() {
            return Ok(false);
        }
        if let Some(other) = other {
            let (first, second) = if other.approved_at <= ratification.approved_at {
                (other, &ratification)
            } else {
                (&ratification, other)
            };
            if second.approved_at > first.offer_expires_at {
                return Err(Reject::RatifyExpired);
            }
        }
        *own = Some(ratification);
        Ok(signed.mine.is_some() && signed.theirs.is_some())
    }

    /// A proposal of the peer to extend the number of turns.
    ///
    /// # Errors
    /// As [`Session::take_turn`]; [`Reject::InvalidPayload`] if it does not raise the number.
    pub fn check_extension(&self, new_max_turns: u32) -> Result<(), Reject> {
        self.must_be_live()?;
        if new_max_turns <= self.max_turns {
            return Err(Reject::InvalidPayload);
        }
        Ok(())
    }

    /// Applies an approved extension, if it is exactly the one in flight.
    ///
    /// # Errors
    /// [`Reject::InvalidPayload`] for any other proposal or number.
    pub fn extend(&mut self, proposal_id: &str, new_max_turns: u32, by: Side) -> Result<(), Reject> {
        self.must_be_live()?;
        // What this side's human has not let go out yet, the peer cannot approve.
        let is_out = |e: &Extension| e.sent || by == Side::Peer;
        match self
            .extension
            .take_if(|e| e.proposal_id == proposal_id && e.new_max_turns == new_max_turns && e.by == by && is_out(e))
        {
            Some(extension) => {
                self.max_turns = extension.new_max_turns;
                Ok(())
            }
            None => Err(Reject::InvalidPayload),
        }
    }
}

/// A reject of a local act is a refusal to the caller.
impl From<Reject> for Refusal {
    fn from(reject: Reject) -> Self {
        match reject {
            Reject::ThreadClosed => Self::ThreadClosed,
            Reject::BudgetExhausted => Self::BudgetExhausted,
            Reject::HashFrozen => Self::HashFrozen,
            Reject::SessionNotSigned => Self::SessionNotSigned,
            Reject::SessionNotFound => Self::SessionNotFound,
            Reject::AgreementMismatch => Self::AgreementMismatch,
            _ => Self::SessionNotLive,
        }
    }
}

impl TurnKind {
    /// Whether the turn puts a deliverable forward.
    #[must_use]
    pub fn carries_deliverable(self) -> bool {
        matches!(self, Self::Propose | Self::Counter)
    }
}
