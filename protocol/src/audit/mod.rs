//! The audit log: append-only and hash-chained. It shows alteration by anyone without the key, after the last
//! export; no more.

use serde::{Deserialize, Serialize};

use crate::artifact::is_sha256_hex;
use crate::base64url;
use crate::error::Bug;
use crate::identity::{AgentId, Domain, Keypair, Transcript};

/// One act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct AuditRecord {
    /// Its number, from 1.
    pub n: u64,
    /// Unix milliseconds.
    pub at: u64,
    /// What happened, such as `envelope_sent`.
    pub act: String,
    /// The bond, where there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bond: Option<String>,
    /// Further facts, in the order of the act.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub facts: Vec<(String, String)>,
    /// Hash of the record before, lowercase hex; of 32 zero bytes for the first.
    pub prev: String,
    /// Hash of this record, lowercase hex.
    pub hash: String,
}

/// The end of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditHead {
    /// Number of records.
    pub n: u64,
    /// Hash of the last one, lowercase hex.
    pub hash: String,
}

impl Default for AuditHead {
    fn default() -> Self {
        Self { n: 0, hash: "00".repeat(32) }
    }
}

impl AuditHead {
    /// The next record of the chain; the head moves on.
    pub fn append(&mut self, at: u64, act: &str, bond: Option<&str>, facts: Vec<(String, String)>) -> AuditRecord {
        let mut record = AuditRecord {
            n: self.n + 1,
            at,
            act: act.to_owned(),
            bond: bond.map(str::to_owned),
            facts,
            prev: self.hash.clone(),
            hash: String::new(),
        };
        record.hash = record.compute();
        *self = Self { n: record.n, hash: record.hash.clone() };
        record
    }
}

impl AuditRecord {
    /// Reads the value of a log entry.
    ///
    /// # Errors
    /// [`Bug::CorruptRecord`] if it is none of ours.
    pub fn parse(value: &str) -> Result<Self, Bug> {
        serde_json::from_str(value).map_err(|_| Bug::CorruptRecord)
    }

    fn compute(&self) -> String {
        use sha2::Digest as _;
        let hashed = |text: &str| sha2::Sha256::digest(text);
        let mut transcript = Transcript::new()
            .lp(&self.prev)
            .u64(self.n)
            .u64(self.at)
            .raw(hashed(&self.act))
            .raw(hashed(self.bond.as_deref().unwrap_or_default()));
        for (key, value) in &self.facts {
            transcript = transcript.raw(hashed(key)).raw(hashed(value));
        }
        hex::encode(transcript.digest("agentpair-audit-v1"))
    }
}

/// The head as it stands at the end of an export, signed by the owner's root identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct SignedHead {
    /// Number of records.
    pub n: u64,
    /// Hash of the last one, lowercase hex.
    pub hash: String,
    /// When it was signed, unix milliseconds.
    pub at: u64,
    /// The root identity.
    pub agent_id: String,
    /// base64url of the signature.
    pub sig: String,
}

impl SignedHead {
    pub(crate) fn sign(head: &AuditHead, at: u64, root: &Keypair) -> Self {
        let sig = root.sign_in(Domain::AuditHead, &Self::transcript(&head.hash, head.n, at));
        let agent_id = root.agent_id().as_str().to_owned();
        Self { n: head.n, hash: head.hash.clone(), at, agent_id, sig: base64url::encode(&sig) }
    }

    /// Whether the root identity that it names signed it.
    #[must_use]
    pub fn holds(&self) -> bool {
        let (Ok(root), Ok(sig)) = (AgentId::parse(&self.agent_id), base64url::decode(&self.sig)) else {
            return false;
        };
        is_sha256_hex(&self.hash)
            && root.verify_in(Domain::AuditHead, &Self::transcript(&self.hash, self.n, self.at), &sig).is_ok()
    }

    fn transcript(hash: &str, n: u64, at: u64) -> Transcript {
        Transcript::new().lp(hash).u64(n).u64(at)
    }
}

/// Checks a whole log, or a part of one: numbers, links and hashes. Returns the head.
///
/// # Errors
/// The number of the first record that does not fit.
pub fn verify(records: &[AuditRecord]) -> Result<AuditHead, u64> {
    let mut head = match records.first() {
        Some(first) if first.n > 1 => AuditHead { n: first.n - 1, hash: first.prev.clone() },
        _ => AuditHead::default(),
    };
    for record in records {
        if record.n != head.n + 1 || record.prev != head.hash || record.hash != record.compute() {
            return Err(head.n + 1);
        }
        head = AuditHead { n: record.n, hash: record.hash.clone() };
    }
    Ok(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_signed_whole() {
        let root = Keypair::from_seed([1; 32]);
        let head = SignedHead::sign(&AuditHead { n: 3, hash: "ab".repeat(32) }, 9, &root);
        assert!(head.holds());
        for changed in [
            SignedHead { n: 4, ..head.clone() },
            SignedHead { hash: "ac".repeat(32), ..head.clone() },
            SignedHead { at: 8, ..head.clone() },
            SignedHead { agent_id: Keypair::from_seed([2; 32]).agent_id().as_str().to_owned(), ..head.clone() },
        ] {
            assert!(!changed.holds());
        }
    }

    #[test]
    fn any_alteration_breaks_the_chain() {
        let mut head = AuditHead::default();
        let fact = || vec![("kind".to_owned(), "core.msg".to_owned())];
        let log = [
            head.append(1, "sent", Some("b"), fact()),
            head.append(2, "received", None, fact()),
            head.append(3, "revoked", Some("b"), vec![]),
        ];
        assert_eq!(verify(&log), Ok(head));
        let alterations: [fn(&mut AuditRecord); 5] = [
            |r| r.at += 1,
            |r| r.act.push('x'),
            |r| r.bond = Some("c".to_owned()),
            |r| r.facts.push(("a".to_owned(), "b".to_owned())),
            |r| r.n += 1,
        ];
        for alter in alterations {
            let mut altered = log.clone();
            alter(&mut altered[1]);
            assert_eq!(verify(&altered), Err(2));
        }
        assert_eq!(verify(&[log[0].clone(), log[2].clone()]), Err(2));
    }
}
