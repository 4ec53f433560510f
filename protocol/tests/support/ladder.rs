//! The two ladders, called as a host and a relay call them, with the harness of the `envelope-*.json` files.

use agentpair_protocol::envelope::{Accepted, Decoded, Headers, Kind, PairKey};
use agentpair_protocol::error::Reject;
use agentpair_protocol::identity::AgentId;
use serde::Deserialize;

use super::key;

/// The surroundings of a receiver, as the fixtures fix them.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Harness {
    #[serde(rename = "self")]
    pub me: String,
    pub now_unix: u64,
    #[serde(default = "yes")]
    pub is_bonded: bool,
    #[serde(default)]
    pub last_accepted_seq: u64,
    pub dispatch_error: Option<String>,
}

fn yes() -> bool {
    true
}

/// The host's whole ladder, up to the dispatch on the type. Answers with an error code.
pub fn receive(wire: &[u8], harness: &Harness) -> Result<(Headers, Vec<u8>), String> {
    let opened = climb(wire, harness).map_err(|reject| reject.code().to_owned())?;
    match (&harness.dispatch_error, Kind::parse(&opened.0.kind)) {
        (Some(error), _) => Err(error.clone()),
        (None, None) => Err(Reject::UnsupportedEnvelopeType.code().to_owned()),
        (None, Some(_)) => Ok(opened),
    }
}

fn climb(wire: &[u8], harness: &Harness) -> Result<(Headers, Vec<u8>), Reject> {
    let me = key(&harness.me);
    let decoded = Decoded::from_wire(wire)?;
    // A bond is with a parsed id, never with a text that only resembles one.
    let peer = AgentId::parse(decoded.claimed_sender()).ok().filter(|_| harness.is_bonded);
    let fresh = decoded
        .bonded(peer.as_ref())?
        .authentic()?
        .routed(me.agent_id())?
        .fresh(harness.last_accepted_seq, harness.now_unix)?;
    fresh.nonce()?;
    // `bonded` has passed, so there is a peer.
    let pair_key = PairKey::derive(&me, &peer.unwrap()).unwrap();
    Ok(fresh.open(&pair_key)?.into_parts())
}

/// The relay's ladder for the inbox of `harness.me`.
pub fn relay(wire: &[u8], harness: &Harness) -> Result<Accepted, String> {
    let inbox = key(&harness.me).agent_id().as_str().to_owned();
    Decoded::from_wire(wire)
        .and_then(|decoded| decoded.addressed_to(&inbox)?.timely(harness.now_unix)?.authentic())
        .map_err(|reject| reject.code().to_owned())
}
