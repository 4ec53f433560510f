//! The approver: a key that only the owner's PIN unlocks. Once there is one, no decision counts without its signature,
//! and peers that know it take no ratification without one either.

use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};

use super::Decision;
use crate::base64url;
use crate::identity::{AgentId, Domain, Keypair, Transcript};
use crate::secret::Secret;
use crate::vault;

/// Shortest PIN. Whoever can read the store can guess at a few tries a second on each core: six digits would last days.
pub const PIN_CHARS: usize = 8;
/// What the sealed key is, for the box.
const CONTEXT: &str = "agentpair-approver-v1";

/// The approver's key, sealed under the PIN.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Approver {
    /// Its public key, written as an agent id.
    #[cfg_attr(feature = "typescript", tsify(type = "string"))]
    pub id: AgentId,
    /// base64url of the salt of the PIN.
    pub salt: String,
    /// base64url of the sealed key.
    pub sealed: String,
}

impl Approver {
    /// Seals an approver's key under a PIN.
    ///
    /// # Errors
    /// [`vault::NoMemory`].
    pub fn seal(key: &Secret<32>, pin: &str, rng: &mut impl CryptoRng) -> Result<Self, vault::NoMemory> {
        let mut salt = [0; vault::SALT_BYTES];
        rng.fill_bytes(&mut salt);
        let wrapping = vault::stretch(pin.as_bytes(), &salt)?;
        let sealed = vault::seal(&wrapping, CONTEXT, key.expose(), rng).ok_or(vault::NoMemory)?;
        let id = Keypair::from_secret(key).agent_id().clone();
        Ok(Self { id, salt: base64url::encode(&salt), sealed: base64url::encode(&sealed) })
    }

    /// The key, if the PIN is right.
    #[must_use]
    pub fn unlock(&self, pin: &str) -> Option<Secret<32>> {
        let salt = base64url::decode(&self.salt).ok().filter(|salt| salt.len() == vault::SALT_BYTES)?;
        let wrapping = vault::stretch(pin.as_bytes(), &salt).ok()?;
        let key = vault::open(&wrapping, CONTEXT, base64url::decode(&self.sealed).ok()?)?;
        let key = Secret::new(key.try_into().ok()?);
        (*Keypair::from_secret(&key).agent_id() == self.id).then_some(key)
    }
}

/// What an approver signs when the owner decides.
#[derive(Debug, Clone, Copy)]
pub struct Approval<'a> {
    /// The pending item.
    pub pending: &'a str,
    /// What was decided.
    pub decision: Decision,
    /// Digest of what was shown, lowercase hex.
    pub digest: &'a str,
    /// The agreement digest, lowercase hex, where the item is a ratification; else empty.
    pub agreement: &'a str,
}

impl Approval<'_> {
    fn transcript(&self) -> Transcript {
        Transcript::new().lp(self.pending).lp(self.decision.word()).lp(self.digest).lp(self.agreement)
    }

    /// base64url of the signature.
    #[must_use]
    pub fn sign(&self, approver: &Keypair) -> String {
        base64url::encode(&approver.sign_in(Domain::Approve, &self.transcript()))
    }

    /// Whether `approver` signed it.
    #[must_use]
    pub fn holds(&self, approver: &AgentId, sig: &str) -> bool {
        base64url::decode(sig).is_ok_and(|sig| approver.verify_in(Domain::Approve, &self.transcript(), &sig).is_ok())
    }
}

/// That an approver gives way to another one, or to none.
#[derive(Debug, Clone, Copy)]
pub struct Handover<'a> {
    /// The one before.
    pub from: &'a AgentId,
    /// Counts the changes of one owner.
    pub version: u64,
    /// The next one.
    pub to: Option<&'a AgentId>,
}

impl Handover<'_> {
    fn transcript(&self) -> Transcript {
        Transcript::new().lp(self.from.as_str()).u64(self.version).lp(self.to.map_or("", AgentId::as_str))
    }

    /// base64url of the signature of the one before.
    #[must_use]
    pub fn sign(&self, from: &Keypair) -> String {
        base64url::encode(&from.sign_in(Domain::Approver, &self.transcript()))
    }

    /// Whether the one before signed it.
    #[must_use]
    pub fn holds(&self, sig: &str) -> bool {
        base64url::decode(sig).is_ok_and(|sig| self.from.verify_in(Domain::Approver, &self.transcript(), &sig).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chacha20::ChaCha20Rng;
    use rand_core::SeedableRng as _;

    #[test]
    fn only_the_pin_unlocks() {
        let mut rng = ChaCha20Rng::from_seed([3; 32]);
        let key = Secret::new([4; 32]);
        let approver = Approver::seal(&key, "correct horse", &mut rng).unwrap();
        assert_eq!(approver.unlock("correct horse"), Some(key));
        assert_eq!(approver.unlock("correct hors"), None);
        let other = Approver { id: Keypair::from_seed([5; 32]).agent_id().clone(), ..approver };
        assert_eq!(other.unlock("correct horse"), None);
    }

    #[test]
    fn every_part_of_an_approval_and_of_a_handover_is_signed() {
        let (key, other) = (Keypair::from_seed([1; 32]), Keypair::from_seed([2; 32]));
        let approval = Approval { pending: "p", decision: Decision::Approve, digest: "d", agreement: "a" };
        let sig = approval.sign(&key);
        assert!(approval.holds(key.agent_id(), &sig));
        assert!(!approval.holds(other.agent_id(), &sig));
        for changed in [
            Approval { pending: "q", ..approval },
            Approval { decision: Decision::Reject, ..approval },
            Approval { digest: "", ..approval },
            Approval { agreement: "", ..approval },
        ] {
            assert!(!changed.holds(key.agent_id(), &sig));
        }
        let handover = Handover { from: key.agent_id(), version: 2, to: Some(other.agent_id()) };
        let sig = handover.sign(&key);
        assert!(handover.holds(&sig));
        for changed in [
            Handover { from: other.agent_id(), ..handover },
            Handover { version: 3, ..handover },
            Handover { to: None, ..handover },
        ] {
            assert!(!changed.holds(&sig));
        }
    }
}
