//! One side of a key agreement: for measuring. Pairings run inside the engine.

use agentpair_protocol::pairing::spake::{self, Role};
use agentpair_protocol::secret::{Secret, SecretText};
use tsify::Ts;
use wasm_bindgen::prelude::*;

use crate::error::{CodedError, invalid, rejected};

/// One side of a SPAKE2 exchange.
#[wasm_bindgen]
pub struct Spake(spake::Spake);

#[wasm_bindgen]
impl Spake {
    /// Starts from a code, a session id and a seed of 32 bytes.
    ///
    /// # Errors
    /// `invalid_argument` for another role, or a seed of another length.
    pub fn start(
        role: &Ts<Role>,
        code: String,
        #[wasm_bindgen(js_name = sessionId)] session_id: &str,
        seed: &[u8],
    ) -> Result<Spake, CodedError> {
        let role = role.to_rust().map_err(|_| invalid("role is initiator or joiner"))?;
        let seed = Secret::new(seed.try_into().map_err(|_| invalid("a seed has 32 bytes"))?);
        spake::Spake::start(role, &SecretText::new(code), session_id, &seed).map(Self).map_err(rejected)
    }

    /// The message for the peer.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn message(&self) -> Vec<u8> {
        self.0.message().to_vec()
    }

    /// Derives the shared key, and uses up this side.
    ///
    /// # Errors
    /// `pake_failed`.
    pub fn finish(self, peer: &[u8]) -> Result<Vec<u8>, CodedError> {
        self.0.finish(peer).map(|key| key.expose().to_vec()).map_err(rejected)
    }
}
