//! What the Worker asks of a published invite: one line of JSON, then the bytes it is about.

use serde::{Deserialize, Serialize};

use crate::inbox::call::Permit;

/// One request to an invite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Call {
    /// Publish it. The bytes are its two members as JSON.
    Publish {
        /// SHA-256 of the signed bytes, hex.
        digest: String,
        /// Who signed it.
        agent_id: String,
        /// The session that a claim opens.
        session_id: String,
        /// The first message of that session.
        pake: String,
        /// The end that it names, unix milliseconds.
        expires_at: u64,
    },
    /// Ask for it.
    Claim {
        /// 16 bytes, base64url.
        claim_id: String,
    },
    /// Tell its owner how it stands. The signature is checked here, since only here the owner is known.
    Status {
        /// The challenge, known to be ours and fresh.
        permit: Permit,
        /// Signature over the challenge's text, base64url.
        sig: String,
    },
    /// Withdraw it.
    Withdraw {
        /// The rendezvous name, which is part of what is signed.
        name: String,
        /// base64url.
        sig: String,
    },
}
