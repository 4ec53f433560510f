//! Messages of the pairing slot, in the draft's spelling and key order.

use serde::{Deserialize, Serialize};

use super::spake::Role;
use crate::envelope::Profiles;
use crate::json;
use crate::limits::PAIR_MESSAGE_BYTES;

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum PairMessage {
    /// The key agreement; the joiner adds fingerprint and id.
    Pake {
        /// base64url of the 33 bytes.
        payload: String,
        /// Who speaks.
        role: Role,
        /// Lowercase hex; the joiner's only.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        fingerprint: Option<String>,
        /// The joiner's id.
        #[serde(rename = "agentId", skip_serializing_if = "Option::is_none", default)]
        agent_id: Option<String>,
        /// What the sender offers.
        profiles: Profiles,
    },
    /// The initiator found the same fingerprint.
    Confirm {
        /// Lowercase hex.
        fingerprint: String,
        /// The initiator's id.
        #[serde(rename = "agentId")]
        agent_id: String,
        /// Proof of possession, `bond/1` only.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        proof: Option<String>,
    },
    /// The sender agrees to the bond.
    BondOk {
        /// The sender's id.
        #[serde(rename = "agentId")]
        agent_id: String,
        /// Lowercase hex.
        tag: String,
        /// Proof of possession, `bond/1` only.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        proof: Option<String>,
    },
    /// The sender gives up: nobody is bonded.
    BondFail {},
    /// The sender's human refused.
    Reject {
        /// In words.
        #[serde(default)]
        reason: String,
    },
}

impl PairMessage {
    /// Reads the slot. `None` for anything else: a failed pairing, never an exception.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > PAIR_MESSAGE_BYTES {
            return None;
        }
        json::from_object(bytes).ok()
    }

    /// Compact JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        // A message holds strings only; serde_json cannot fail on it.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The entity tag of a slot: the first 32 hex characters of its SHA-256.
#[must_use]
pub fn slot_etag(slot: &[u8]) -> String {
    use sha2::Digest as _;
    let digest: [u8; 32] = sha2::Sha256::digest(slot).into();
    hex::encode(digest.split_at(16).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_order_is_the_drafts() {
        let profiles = Profiles::new(vec!["core/1".to_owned()]).unwrap();
        let pake = |fingerprint: Option<&str>, role| PairMessage::Pake {
            payload: "QQ".to_owned(),
            role,
            fingerprint: fingerprint.map(str::to_owned),
            agent_id: fingerprint.map(|_| "ed25519:x".to_owned()),
            profiles: profiles.clone(),
        };
        let cases = [
            (
                pake(None, Role::Initiator),
                r#"{"phase":"pake","payload":"QQ","role":"initiator","profiles":["core/1"]}"#,
            ),
            (
                pake(Some("ab"), Role::Joiner),
                r#"{"phase":"pake","payload":"QQ","role":"joiner","fingerprint":"ab","agentId":"ed25519:x","profiles":["core/1"]}"#,
            ),
            (
                PairMessage::Confirm { fingerprint: "ab".to_owned(), agent_id: "i".to_owned(), proof: None },
                r#"{"phase":"confirm","fingerprint":"ab","agentId":"i"}"#,
            ),
            (
                PairMessage::BondOk { agent_id: "i".to_owned(), tag: "ab".to_owned(), proof: Some("p".to_owned()) },
                r#"{"phase":"bond_ok","agentId":"i","tag":"ab","proof":"p"}"#,
            ),
            (PairMessage::BondFail {}, r#"{"phase":"bond_fail"}"#),
            (PairMessage::Reject { reason: "no".to_owned() }, r#"{"phase":"reject","reason":"no"}"#),
        ];
        for (message, text) in cases {
            assert_eq!(message.to_json(), text);
            assert_eq!(PairMessage::read(text.as_bytes()), Some(message));
        }
        for text in ["", "null", "{}", r#"{"phase":"pake"}"#, r#"{"phase":"bond_fail","phase":"reject"}"#] {
            assert_eq!(PairMessage::read(text.as_bytes()), None, "{text}");
        }
        assert!(PairMessage::read(br#"{"phase":"bond_fail","later":[1]}"#).is_some());
    }
}
