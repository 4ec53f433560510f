//! The signed allowlist: who may write to an inbox. Pushing one is also how an inbox comes to be.

use serde::Deserialize;

use crate::identity::{AgentId, Keypair};
use crate::json;
use crate::limits::ALLOWLIST_ENTRIES;
use crate::signed_blob::{BlobFault, SignedBlob};

/// A verified allowlist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowlist {
    /// The inbox.
    pub agent_id: AgentId,
    /// The senders it accepts.
    pub allowed: Vec<String>,
    /// Rises with each push; absent from the draft's hosts.
    pub version: Option<u64>,
}

/// Why an allowlist is refused, in the order in which it is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllowlistFault {
    /// The body is no JSON.
    Json,
    /// The body, the id in the path or the signed list has the wrong shape.
    Shape,
    /// The signature is missing or wrong.
    Signature,
    /// The signed id is not the one in the path.
    AgentMismatch,
}

impl AllowlistFault {
    /// The relay's status.
    #[must_use]
    pub fn status(self) -> u16 {
        match self {
            Self::Signature => 403,
            Self::Json | Self::Shape | Self::AgentMismatch => 400,
        }
    }

    /// The relay's error string.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Json => "invalid_json",
            Self::Shape => "invalid_allowlist",
            Self::Signature => "invalid_signature",
            Self::AgentMismatch => "agent_id_mismatch",
        }
    }
}

#[derive(Deserialize)]
struct Blob {
    agent_id: String,
    allowed: Vec<String>,
    #[serde(default)]
    version: Option<u64>,
}

impl Allowlist {
    /// Verifies a request body for the inbox named in the path.
    ///
    /// # Errors
    /// [`AllowlistFault`]: the first that applies.
    pub fn open(path_id: &str, body: &[u8]) -> Result<Self, AllowlistFault> {
        let signed = SignedBlob::read(body).map_err(|fault| match fault {
            BlobFault::Json => AllowlistFault::Json,
            BlobFault::Shape => AllowlistFault::Shape,
        })?;
        let agent_id = AgentId::parse(path_id).map_err(|_| AllowlistFault::Shape)?;
        let bytes = signed.verify(None, &agent_id).ok_or(AllowlistFault::Signature)?;
        let object = json::FlatObject::parse(&bytes).map_err(|_| AllowlistFault::Shape)?;
        if object.text("agent_id").is_some_and(|id| id != path_id) {
            return Err(AllowlistFault::AgentMismatch);
        }
        let blob: Blob = serde_json::from_slice(&bytes).map_err(|_| AllowlistFault::Shape)?;
        debug_assert_eq!(blob.agent_id, path_id);
        let distinct: std::collections::BTreeSet<&String> = blob.allowed.iter().collect();
        if blob.allowed.len() > ALLOWLIST_ENTRIES
            || distinct.len() != blob.allowed.len()
            || !blob.allowed.iter().all(|id| AgentId::has_prefix(id))
        {
            return Err(AllowlistFault::Shape);
        }
        Ok(Self { agent_id, allowed: blob.allowed, version: blob.version })
    }

    /// The request body that allows exactly these senders.
    #[must_use]
    pub fn sign(owner: &Keypair, allowed: &[&AgentId], version: u64) -> String {
        let list: Vec<String> = allowed.iter().map(|id| format!("\"{id}\"")).collect();
        let text =
            format!("{{\"agent_id\":\"{}\",\"allowed\":[{}],\"version\":{version}}}", owner.agent_id(), list.join(","));
        SignedBlob::sign(&text, None, owner).to_json()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner() -> Keypair {
        Keypair::from_seed([1; 32])
    }

    fn signed(text: &str) -> Vec<u8> {
        SignedBlob::sign(text, None, &owner()).to_json().into_bytes()
    }

    #[test]
    fn round_trip() {
        let (owner, peer) = (owner(), Keypair::from_seed([2; 32]));
        let body = Allowlist::sign(&owner, &[peer.agent_id()], 7);
        let list = Allowlist::open(owner.agent_id().as_str(), body.as_bytes()).unwrap();
        assert_eq!(list.allowed, [peer.agent_id().as_str()]);
        assert_eq!(list.version, Some(7));
    }

    #[test]
    fn faults_in_the_drafts_order() {
        let id = owner().agent_id().as_str().to_owned();
        let open = |path: &str, body: &[u8]| Allowlist::open(path, body).unwrap_err().code();
        assert_eq!(open(&id, b"{"), "invalid_json");
        for body in [&b"null"[..], b"[]", b"5", b"{}", b"{\"blob\":1,\"sig\":\"a\"}"] {
            assert_eq!(open(&id, body), "invalid_allowlist");
        }
        assert_eq!(open(&id, format!("{{\"agent_id\":\"{id}\",\"allowed\":[]}}").as_bytes()), "invalid_allowlist");
        assert_eq!(open("x", &signed("{}")), "invalid_allowlist");
        assert_eq!(open(&id, b"{\"blob\":\"e30\",\"sig\":\"e30\"}"), "invalid_signature");
        assert_eq!(open(&id, &signed("nope")), "invalid_allowlist");
        assert_eq!(open(&id, &signed("{\"agent_id\":\"ed25519:x\",\"allowed\":5}")), "agent_id_mismatch");
        for allowed in ["5", "[\"x\"]", "[\"ed25519:a\",\"ed25519:a\"]"] {
            assert_eq!(
                open(&id, &signed(&format!("{{\"agent_id\":\"{id}\",\"allowed\":{allowed}}}"))),
                "invalid_allowlist"
            );
        }
        let many: Vec<String> = (0..=ALLOWLIST_ENTRIES).map(|n| format!("\"ed25519:{n}\"")).collect();
        let text = |n: usize| format!("{{\"agent_id\":\"{id}\",\"allowed\":[{}]}}", many[..n].join(","));
        assert!(Allowlist::open(&id, &signed(&text(ALLOWLIST_ENTRIES))).is_ok());
        assert_eq!(open(&id, &signed(&text(ALLOWLIST_ENTRIES + 1))), "invalid_allowlist");
    }
}
