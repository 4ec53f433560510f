//! Key pairs and agent ids.

use agentpair_protocol::identity::{self, Keypair};
use wasm_bindgen::prelude::*;
use zeroize::Zeroizing;

use crate::error::{CodedError, invalid};

/// An Ed25519 key pair. `free()` erases it.
#[wasm_bindgen]
pub struct Identity(pub(crate) Keypair);

#[wasm_bindgen]
impl Identity {
    /// The key pair of a seed of 32 bytes.
    ///
    /// # Errors
    /// `invalid_argument` for any other length.
    #[wasm_bindgen(js_name = fromSeed)]
    pub fn from_seed(seed: Vec<u8>) -> Result<Identity, CodedError> {
        let seed = Zeroizing::new(seed);
        let seed: [u8; 32] = seed.as_slice().try_into().map_err(|_| invalid("a seed has 32 bytes"))?;
        Ok(Self(Keypair::from_seed(seed)))
    }

    /// `ed25519:` and 43 characters.
    #[wasm_bindgen(getter, js_name = agentId)]
    #[must_use]
    pub fn agent_id(&self) -> String {
        self.0.agent_id().as_str().to_owned()
    }

    /// Signs the bytes as they are.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.0.sign(message).to_vec()
    }
}

/// A parsed agent id, to verify under more than once.
#[wasm_bindgen]
pub struct AgentId(pub(crate) identity::AgentId);

#[wasm_bindgen]
impl AgentId {
    /// Parses the one spelling of a usable key.
    ///
    /// # Errors
    /// `invalid_argument`.
    pub fn parse(text: &str) -> Result<AgentId, CodedError> {
        peer(text).map(Self)
    }

    /// The 51 characters.
    #[wasm_bindgen(js_name = toString)]
    #[must_use]
    pub fn text(&self) -> String {
        self.0.as_str().to_owned()
    }

    /// Verifies a signature strictly.
    #[must_use]
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        self.0.verify(message, signature).is_ok()
    }
}

pub(crate) fn peer(text: &str) -> Result<identity::AgentId, CodedError> {
    identity::AgentId::parse(text).map_err(|_| invalid("not an agent id"))
}
