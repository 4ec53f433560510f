//! Human gates: an approval is bound to exactly what was shown.
//!
//! Two codes exist for each pending item, one to approve and one to reject. Each is stored only as a MAC over the
//! item's id, the decision, the digest of what was shown, and the digits: a code seen for one thing is good for nothing else.

mod approver;

pub use self::approver::{Approval, Approver, Handover, PIN_CHARS};

use hmac::{Hmac, KeyInit as _, Mac as _};
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::base64url;
use crate::identity::Transcript;
use crate::limits::DAY_MS;
use crate::secret::{Secret, SecretText};

/// Wrong codes allowed for one subject in a day.
pub const ATTEMPTS_PER_SUBJECT: u32 = 5;
/// Wrong codes allowed for all subjects in a day.
pub const ATTEMPTS_PER_DAY: u32 = 20;

/// What is to be decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum Subject {
    /// Bond with whoever answered the code.
    Join {
        /// The pairing.
        pairing: String,
    },
    /// Negotiate on the peer's terms.
    Open {
        /// The bond.
        bond: String,
        /// The thread.
        thread: String,
    },
    /// Ratify the signed deliverable.
    Ratify {
        /// The bond.
        bond: String,
        /// The thread.
        thread: String,
    },
    /// Allow more turns.
    Extend {
        /// The bond.
        bond: String,
        /// The thread.
        thread: String,
        /// The proposal.
        proposal_id: String,
    },
    /// Record that the safety numbers are equal.
    Verify {
        /// The bond.
        bond: String,
    },
    /// Let the agent go on writing after it was stopped.
    Continue {
        /// The bond.
        bond: String,
    },
}

impl Subject {
    /// A stable name: wrong codes are counted under it, however often the item is asked again.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Join { pairing } => format!("join/{pairing}"),
            Self::Open { bond, thread } => format!("open/{bond}/{thread}"),
            Self::Ratify { bond, thread } => format!("ratify/{bond}/{thread}"),
            Self::Extend { bond, thread, .. } => format!("extend/{bond}/{thread}"),
            Self::Verify { bond } => format!("verify/{bond}"),
            Self::Continue { bond } => format!("continue/{bond}"),
        }
    }

    /// The bond that it is about, once there is one.
    #[must_use]
    pub fn bond(&self) -> Option<&str> {
        match self {
            Self::Join { .. } => None,
            Self::Open { bond, .. }
            | Self::Ratify { bond, .. }
            | Self::Extend { bond, .. }
            | Self::Verify { bond }
            | Self::Continue { bond } => Some(bond),
        }
    }
}

/// A decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum Decision {
    /// Yes.
    Approve,
    /// No.
    Reject,
}

impl Decision {
    /// As it is signed and logged.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
        }
    }
}

/// One line of what is shown to the human.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Shown {
    /// What the line is about.
    pub label: String,
    /// Its text.
    pub text: String,
    /// Whether the peer wrote it.
    pub from_peer: bool,
}

impl Shown {
    /// A line of ours.
    pub(crate) fn own(label: &str, text: impl Into<String>) -> Self {
        Self { label: label.to_owned(), text: text.into(), from_peer: false }
    }

    /// A line that the peer wrote.
    pub(crate) fn peer(label: &str, text: impl Into<String>) -> Self {
        Self { label: label.to_owned(), text: text.into(), from_peer: true }
    }
}

/// An item that waits for a human.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingItem {
    /// A UUID.
    pub id: String,
    /// What is to be decided.
    pub subject: Subject,
    /// One sentence.
    pub question: String,
    /// All that the decision is about.
    pub shown: Vec<Shown>,
    /// SHA-256 over question and lines, lowercase hex.
    pub digest: String,
    /// Unix milliseconds.
    pub created_at: u64,
    /// Unix milliseconds.
    pub expires_at: u64,
    approve_mac: String,
    reject_mac: String,
}

/// The two codes of an item: shown to the human only, never stored.
#[derive(Debug, Clone)]
pub struct Codes {
    /// Six digits that approve.
    pub approve: SecretText,
    /// Six digits that reject.
    pub reject: SecretText,
}

impl PendingItem {
    /// Makes an item and its codes.
    pub fn new(
        id: String,
        subject: Subject,
        question: String,
        shown: Vec<Shown>,
        (now, expires_at): (u64, u64),
        key: &Secret<32>,
        rng: &mut impl CryptoRng,
    ) -> (Self, Codes) {
        let digest = hex::encode(digest(&question, &shown));
        let mut item = Self {
            id,
            subject,
            question,
            shown,
            digest,
            created_at: now,
            expires_at,
            approve_mac: String::new(),
            reject_mac: String::new(),
        };
        let codes = item.reissue(key, rng);
        (item, codes)
    }

    /// Draws new codes: the old ones are void.
    pub fn reissue(&mut self, key: &Secret<32>, rng: &mut impl CryptoRng) -> Codes {
        let approve = digits(rng);
        let reject = loop {
            let code = digits(rng);
            if code != approve {
                break code;
            }
        };
        self.approve_mac = base64url::encode(&self.mac(key, Decision::Approve, &approve));
        self.reject_mac = base64url::encode(&self.mac(key, Decision::Reject, &reject));
        Codes { approve: SecretText::new(approve), reject: SecretText::new(reject) }
    }

    /// The decision that a typed code stands for; `None` if it is wrong.
    #[must_use]
    pub fn judge(&self, key: &Secret<32>, typed: &str) -> Option<Decision> {
        use subtle::ConstantTimeEq as _;
        let digits: String = typed.chars().filter(|c| !c.is_whitespace()).collect();
        [(Decision::Approve, &self.approve_mac), (Decision::Reject, &self.reject_mac)]
            .into_iter()
            .find(|(decision, stored)| {
                let mac = base64url::encode(&self.mac(key, *decision, &digits));
                mac.as_bytes().ct_eq(stored.as_bytes()).into()
            })
            .map(|(decision, _)| decision)
    }

    fn mac(&self, key: &Secret<32>, decision: Decision, digits: &str) -> [u8; 32] {
        let message = Transcript::new().lp(&self.id).lp(decision.word()).lp(&self.digest).lp(digits);
        // HMAC takes keys of any length.
        Hmac::<Sha256>::new_from_slice(key.expose())
            .map(|mac| {
                mac.chain_update(b"agentpair-gate-v1\0").chain_update(message.as_bytes()).finalize().into_bytes().into()
            })
            .unwrap_or_default()
    }
}

fn digest(question: &str, shown: &[Shown]) -> [u8; 32] {
    // Lines can be longer than `lp` allows: each is hashed first.
    use sha2::Digest as _;
    let mut transcript = Transcript::new().raw(Sha256::digest(question));
    for line in shown {
        transcript =
            transcript.raw(Sha256::digest(&line.label)).raw(Sha256::digest(&line.text)).raw([u8::from(line.from_peer)]);
    }
    transcript.digest("agentpair-shown-v1")
}

fn digits(rng: &mut impl CryptoRng) -> String {
    const BOUND: u32 = 1_000_000;
    loop {
        let draw = rng.next_u32();
        if draw < u32::MAX - u32::MAX % BOUND {
            return format!("{:06}", draw % BOUND);
        }
    }
}

/// Wrong codes of one day. The count survives the item: asking again does not give new guesses (weakness 16).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempts {
    day: u64,
    wrong: u32,
}

impl Attempts {
    /// Wrong codes so far today.
    #[must_use]
    pub fn today(self, now: u64) -> u32 {
        if self.day == now / DAY_MS { self.wrong } else { 0 }
    }

    /// Counts one more.
    #[must_use]
    pub fn plus_one(self, now: u64) -> Self {
        Self { day: now / DAY_MS, wrong: self.today(now) + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chacha20::ChaCha20Rng;
    use rand_core::SeedableRng as _;

    #[test]
    fn a_code_is_good_for_one_decision_on_one_content() {
        let (key, mut rng) = (Secret::new([1; 32]), ChaCha20Rng::from_seed([2; 32]));
        let subject = || Subject::Verify { bond: "b".to_owned() };
        let shown = |text: &str| vec![Shown::own("number", text)];
        let new = |text: &str, rng: &mut ChaCha20Rng| {
            PendingItem::new("p".to_owned(), subject(), "Equal?".to_owned(), shown(text), (0, 9), &key, rng)
        };
        let (item, codes) = new("1", &mut rng);
        assert_eq!(item.judge(&key, codes.approve.expose()), Some(Decision::Approve));
        let spaced = format!(" {} {} ", &codes.reject.expose()[..3], &codes.reject.expose()[3..]);
        assert_eq!(item.judge(&key, &spaced), Some(Decision::Reject));
        assert_eq!(item.judge(&Secret::new([2; 32]), codes.approve.expose()), None);
        let mut other = new("2", &mut rng).0;
        other.approve_mac.clone_from(&item.approve_mac);
        assert_eq!(other.judge(&key, codes.approve.expose()), None);
        let mut again = item.clone();
        again.reissue(&key, &mut rng);
        assert_eq!(again.judge(&key, codes.approve.expose()), None);
    }

    #[test]
    fn attempts_are_counted_by_the_day() {
        let counted = Attempts::default().plus_one(5).plus_one(6);
        assert_eq!((counted.today(7), counted.today(DAY_MS)), (2, 0));
        assert_eq!(counted.plus_one(DAY_MS).today(DAY_MS), 1);
    }
}
