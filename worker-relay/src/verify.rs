//! What is verified before any object is asked: a function of the request and the time.

use agentpair_protocol::base64url;
use agentpair_protocol::envelope::{Accepted, Measured};
use agentpair_protocol::error::Reject;
use agentpair_protocol::identity::AgentId;

use crate::clock::Now;

/// An envelope for an inbox, in the draft's order of checks.
///
/// # Errors
/// The first check that fails.
pub fn envelope(wire: &[u8], agent_id: &str, now: Now) -> Result<Accepted, Reject> {
    Measured::new(wire)?.parse()?.decode()?.addressed_to(agent_id)?.timely(now.secs())?.authentic()
}

/// Whether the text of a signature is strict base64url and the agent's own.
#[must_use]
pub fn signed_by(agent_id: &str, message: &[u8], sig: &str) -> Option<()> {
    let signature = base64url::decode(sig).ok()?;
    AgentId::parse(agent_id).ok()?.verify(message, &signature).ok()
}
