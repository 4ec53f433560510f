//! `{"blob": …, "sig": …}`: a JSON text that was signed as the bytes it is.

use crate::base64url;
use crate::identity::{AgentId, Keypair, SIGNATURE_BYTES};
use crate::json::{FlatObject, JsonFault};

/// The two members, as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedBlob {
    /// base64url of the signed bytes.
    pub blob: String,
    /// base64url of the signature.
    pub sig: String,
}

/// The request body does not have the two members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobFault {
    /// Not strict JSON.
    Json,
    /// JSON of another shape.
    Shape,
}

impl SignedBlob {
    /// Signs a text, with the domain's name and a zero byte in front where `prefix` is given.
    #[must_use]
    pub fn sign(text: &str, prefix: Option<&str>, key: &Keypair) -> Self {
        let signature = key.sign(&prefixed(prefix, text.as_bytes()));
        Self { blob: base64url::encode(text.as_bytes()), sig: base64url::encode(&signature) }
    }

    /// Reads a request body.
    ///
    /// # Errors
    /// [`BlobFault`].
    pub fn read(body: &[u8]) -> Result<Self, BlobFault> {
        let mut object = match FlatObject::parse(body) {
            Ok(object) => object,
            // JSON, but no object: another answer than for what is no JSON at all.
            Err(JsonFault) if serde_json::from_slice::<serde_json::Value>(body).is_ok_and(|v| !v.is_object()) => {
                return Err(BlobFault::Shape);
            }
            Err(JsonFault) => return Err(BlobFault::Json),
        };
        // The unsigned form of older hosts has these at the top.
        if object.get("agent_id").is_some() || object.get("allowed").is_some() {
            return Err(BlobFault::Shape);
        }
        match (object.take_text("blob"), object.take_text("sig")) {
            (Some(blob), Some(sig)) => Ok(Self { blob: blob.into_owned(), sig: sig.into_owned() }),
            _ => Err(BlobFault::Shape),
        }
    }

    /// The signed bytes, if both members are strict base64url and the signature is `signer`'s.
    #[must_use]
    pub fn verify(&self, prefix: Option<&str>, signer: &AgentId) -> Option<Vec<u8>> {
        let bytes = base64url::decode(&self.blob).ok()?;
        let signature = base64url::decode_array::<SIGNATURE_BYTES>(&self.sig).ok()?;
        signer.verify(&prefixed(prefix, &bytes), &signature).ok()?;
        Some(bytes)
    }

    /// The request body.
    #[must_use]
    pub fn to_json(&self) -> String {
        format!("{{\"blob\":\"{}\",\"sig\":\"{}\"}}", self.blob, self.sig)
    }
}

fn prefixed(prefix: Option<&str>, bytes: &[u8]) -> Vec<u8> {
    match prefix {
        None => bytes.to_vec(),
        Some(prefix) => [prefix.as_bytes(), b"\0", bytes].concat(),
    }
}
