//! Sealing and opening under the key of two agents.

use agentpair_protocol::envelope::{self, Decoded, Draft, Stamp};
use agentpair_protocol::error::Reject;
use agentpair_protocol::identity::{AgentId, Keypair};
use wasm_bindgen::prelude::*;

use crate::error::{CodedError, invalid, rejected, unsealed};
use crate::identity::{Identity, peer};
use crate::number::natural;
use crate::opened::Opened;
use crate::random;

/// Two agents and their key: derive it once for each peer, and keep it.
#[wasm_bindgen]
pub struct PairKey {
    own: Keypair,
    peer: AgentId,
    key: envelope::PairKey,
}

#[wasm_bindgen]
impl PairKey {
    /// The key of `own` and the agent of id `peer`.
    ///
    /// # Errors
    /// `invalid_argument` if `peer` is no agent id.
    pub fn derive(own: &Identity, #[wasm_bindgen(js_name = peer)] peer_id: &str) -> Result<PairKey, CodedError> {
        let (own, peer) = (own.0.clone(), peer(peer_id)?);
        let key = envelope::PairKey::derive(&own, &peer).map_err(|_| invalid("no shared key with this agent"))?;
        Ok(Self { own, peer, key })
    }

    /// Seals an envelope for the peer: the bytes of the wire. `seq` counts from 1, `ttl` is unix seconds.
    /// `ts` (unix milliseconds) and `prev` belong to `bond/1` and go together.
    ///
    /// # Errors
    /// `payload_too_large`; `invalid_argument` for a number that is not natural.
    #[expect(clippy::too_many_arguments, reason = "an object of options would cost more than the arguments do")]
    pub fn seal(
        &self,
        id: &str,
        #[wasm_bindgen(js_name = type)] kind: &str,
        thread: &str,
        seq: f64,
        ttl: f64,
        plaintext: &[u8],
        ts: Option<f64>,
        prev: Option<f64>,
    ) -> Result<Vec<u8>, CodedError> {
        let stamp = match (ts, prev) {
            (None, None) => None,
            (Some(ts), Some(prev)) => Some(Stamp { sealed_at: natural("ts", ts)?, prev: natural("prev", prev)? }),
            _ => return Err(invalid("ts and prev go together")),
        };
        let draft = Draft {
            from: &self.own,
            to: &self.peer,
            id,
            kind,
            thread,
            seq: natural("seq", seq)?,
            ttl: natural("ttl", ttl)?,
            stamp,
            plaintext,
        };
        envelope::seal(&draft, &self.key, &mut random::rng()?).map_err(unsealed)
    }

    /// Opens an envelope of the peer: every step of the ladder, in order. `lastSeq` is the last sequence number
    /// accepted on its thread, `now` is unix seconds.
    ///
    /// # Errors
    /// The code of the first step that refuses it.
    pub fn open(
        &self,
        wire: &[u8],
        #[wasm_bindgen(js_name = lastSeq)] last_seq: f64,
        now: f64,
    ) -> Result<Opened, CodedError> {
        let (last_seq, now) = (natural("lastSeq", last_seq)?, natural("now", now)?);
        self.climb(wire, last_seq, now).map(|opened| Opened::from(&opened)).map_err(rejected)
    }

    fn climb(&self, wire: &[u8], last_seq: u64, now: u64) -> Result<envelope::Opened, Reject> {
        Decoded::from_wire(wire)?
            .bonded(Some(&self.peer))?
            .authentic()?
            .routed(self.own.agent_id())?
            .fresh(last_seq, now)?
            .open(&self.key)
    }
}
