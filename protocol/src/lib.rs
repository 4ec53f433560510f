//! AgentPair protocol core.

pub mod artifact;
pub mod audit;
pub mod bond;
pub mod challenge;
pub mod engine;
pub mod envelope;
pub mod error;
pub mod gate;
pub mod identity;
pub mod limits;
pub mod message;
pub mod negotiation;
pub mod pairing;
pub mod safety;
pub mod secret;
pub mod signed_blob;
pub mod vault;

pub use agentpair_codec::{base64url, json};
