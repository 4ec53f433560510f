//! The signed invite: what a relay hands out once, under a name that says nothing of the secret.

use serde::{Deserialize, Serialize};

use crate::identity::{AgentId, Domain, Keypair};
use crate::json;
use crate::limits::{INVITE_BYTES, PAIR_MESSAGE_BYTES};
use crate::signed_blob::{BlobFault, SignedBlob};

/// The proposal of an invite (key order and spelling of the draft).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// What the bond is for: words such as `message` and `negotiate`.
    pub scope: Vec<String>,
    /// `bonded_contact` or `ephemeral_until_session_closes`.
    pub mode: String,
    /// The initiator's agent id.
    #[serde(rename = "initiatorAgentId")]
    pub initiator_agent_id: String,
}

/// A verified invite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invite {
    /// The rendezvous name.
    pub name: String,
    /// The initiator, who signed it.
    pub agent_id: AgentId,
    /// The pairing session that a claim opens.
    pub session_id: String,
    /// What is proposed.
    pub proposal: Proposal,
    /// The exact text of the initiator's first message: the first content of the session's slot.
    pub pake: String,
    /// Unix milliseconds.
    pub expires_at: u64,
}

/// Why an invite is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InviteFault {
    /// Not JSON.
    Json,
    /// Not the shape of an invite, or out of bounds.
    Shape,
    /// Not signed by the agent that it names.
    Signature,
    /// Too large.
    TooLarge,
}

impl InviteFault {
    /// The relay's status.
    #[must_use]
    pub fn status(self) -> u16 {
        match self {
            Self::Json | Self::Shape => 400,
            Self::Signature => 403,
            Self::TooLarge => 413,
        }
    }

    /// The relay's error string.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Json => "invalid_json",
            Self::Shape => "invalid_invite",
            Self::Signature => "invalid_signature",
            Self::TooLarge => "payload_too_large",
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Blob {
    v: u32,
    name: String,
    agent_id: String,
    session_id: String,
    proposal: Proposal,
    pake: String,
    expires_at: u64,
}

impl Invite {
    /// Verifies a published invite. The signer's id is inside the signed text.
    ///
    /// # Errors
    /// [`InviteFault`]: the first that applies.
    pub fn open(body: &[u8]) -> Result<Self, InviteFault> {
        if body.len() > INVITE_BYTES {
            return Err(InviteFault::TooLarge);
        }
        let signed = SignedBlob::read(body).map_err(|fault| match fault {
            BlobFault::Json => InviteFault::Json,
            BlobFault::Shape => InviteFault::Shape,
        })?;
        Self::verify(&signed)
    }

    /// Verifies the two members of a published invite.
    ///
    /// # Errors
    /// [`InviteFault`]: the first that applies.
    pub fn verify(signed: &SignedBlob) -> Result<Self, InviteFault> {
        let text = crate::base64url::decode(&signed.blob).map_err(|_| InviteFault::Shape)?;
        let blob: Blob = json::from_object(&text).map_err(|_| InviteFault::Shape)?;
        let agent_id = AgentId::parse(&blob.agent_id).map_err(|_| InviteFault::Shape)?;
        signed.verify(Some(Domain::Invite.name()), &agent_id).ok_or(InviteFault::Signature)?;
        if blob.v != 1
            || !is_name(&blob.name)
            || !is_session_id(&blob.session_id)
            || blob.pake.len() > PAIR_MESSAGE_BYTES
            || blob.proposal.initiator_agent_id != blob.agent_id
        {
            return Err(InviteFault::Shape);
        }
        let Blob { name, session_id, proposal, pake, expires_at, .. } = blob;
        Ok(Self { name, agent_id, session_id, proposal, pake, expires_at })
    }

    /// Signs an invite.
    ///
    /// # Errors
    /// `None` only if serialisation fails, which no invite does.
    #[must_use]
    pub fn sign(&self, key: &Keypair) -> Option<SignedBlob> {
        let blob = Blob {
            v: 1,
            name: self.name.clone(),
            agent_id: self.agent_id.as_str().to_owned(),
            session_id: self.session_id.clone(),
            proposal: self.proposal.clone(),
            pake: self.pake.clone(),
            expires_at: self.expires_at,
        };
        let text = serde_json::to_string(&blob).ok()?;
        Some(SignedBlob::sign(&text, Some(Domain::Invite.name()), key))
    }
}

/// Grammar of a rendezvous name: `[A-Za-z0-9_-]{1,32}`.
#[must_use]
pub fn is_name(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// Grammar of a session id: `[A-Za-z0-9._:-]{1,128}`.
#[must_use]
pub fn is_session_id(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b':' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invite(key: &Keypair) -> Invite {
        Invite {
            name: "w77".to_owned(),
            agent_id: key.agent_id().clone(),
            session_id: "00000000-0000-4000-8000-000000000000".to_owned(),
            proposal: Proposal {
                scope: vec!["message".to_owned()],
                mode: "bonded_contact".to_owned(),
                initiator_agent_id: key.agent_id().as_str().to_owned(),
            },
            pake: "{\"phase\":\"pake\"}".to_owned(),
            expires_at: 1_800_000_000_000,
        }
    }

    #[test]
    fn round_trip_and_forgery() {
        let (alice, mallory) = (Keypair::from_seed([1; 32]), Keypair::from_seed([3; 32]));
        let signed = invite(&alice).sign(&alice).unwrap();
        assert_eq!(Invite::open(signed.to_json().as_bytes()), Ok(invite(&alice)));
        let forged = invite(&alice).sign(&mallory).unwrap();
        assert_eq!(Invite::open(forged.to_json().as_bytes()), Err(InviteFault::Signature));
        let mut wrong = invite(&alice);
        wrong.proposal.initiator_agent_id = mallory.agent_id().as_str().to_owned();
        assert_eq!(Invite::verify(&wrong.sign(&alice).unwrap()), Err(InviteFault::Shape));
        wrong = Invite { name: "a/b".to_owned(), ..invite(&alice) };
        assert_eq!(Invite::verify(&wrong.sign(&alice).unwrap()), Err(InviteFault::Shape));
        wrong = Invite { pake: "x".repeat(INVITE_BYTES), ..invite(&alice) };
        assert_eq!(Invite::open(wrong.sign(&alice).unwrap().to_json().as_bytes()), Err(InviteFault::TooLarge));
    }
}
