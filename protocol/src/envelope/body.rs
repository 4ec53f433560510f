//! From bytes to a decoded body. Nothing here is verified yet.

use std::borrow::Cow;

use crate::base64url;
use crate::error::Reject;
use crate::identity::SIGNATURE_BYTES;
use crate::json::{FlatObject, Scalar};
use crate::limits::ENVELOPE_BYTES;

/// Longest id of an envelope: ours are UUIDs, the draft sets no bound.
const ID_BYTES: usize = 128;
/// Longest type name: the longest known has 20 bytes.
const KIND_BYTES: usize = 64;

/// Bytes of at most [`ENVELOPE_BYTES`].
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a>(&'a [u8]);

impl<'a> Measured<'a> {
    /// Judges the size, before anything is parsed.
    ///
    /// # Errors
    /// [`Reject::EnvelopeTooLarge`].
    pub fn new(wire: &'a [u8]) -> Result<Self, Reject> {
        if wire.len() > ENVELOPE_BYTES {
            return Err(Reject::EnvelopeTooLarge);
        }
        Ok(Self(wire))
    }

    /// Parses the outer object. Its version is judged before its shape.
    ///
    /// # Errors
    /// [`Reject::UnsupportedVersion`], [`Reject::InvalidJson`].
    pub fn parse(self) -> Result<Parsed<'a>, Reject> {
        let mut outer = FlatObject::parse(self.0).map_err(|_| Reject::InvalidJson)?;
        match outer.number("v") {
            Some(1.0) => {}
            Some(_) => return Err(Reject::UnsupportedVersion),
            None => return Err(Reject::InvalidJson),
        }
        let mut text = |name| outer.take_text(name).ok_or(Reject::InvalidJson);
        let (from, to, blob, sig) = (text("from")?, text("to")?, text("blob")?, text("sig")?);
        Ok(Parsed {
            from,
            to,
            body: base64url::decode(&blob).map_err(|_| Reject::InvalidJson)?,
            // A signature that is not 64 bytes of strict base64url is a bad signature, not bad JSON:
            // it is judged only once the sender is known to be bonded.
            signature: base64url::decode_array(&sig).ok(),
        })
    }
}

/// The outer object, with the body's bytes.
#[derive(Debug)]
pub struct Parsed<'a> {
    from: Cow<'a, str>,
    to: Cow<'a, str>,
    body: Vec<u8>,
    signature: Option<[u8; SIGNATURE_BYTES]>,
}

impl Parsed<'_> {
    /// Decodes the body and compares the two versions.
    ///
    /// # Errors
    /// [`Reject::InvalidJson`], [`Reject::VersionMismatch`].
    pub fn decode(self) -> Result<Decoded, Reject> {
        let mut object = FlatObject::parse(&self.body).map_err(|_| Reject::InvalidJson)?;
        let version = object.number("v").ok_or(Reject::InvalidJson)?;
        let seq = object.integer("seq").ok_or(Reject::InvalidJson)?;
        let ttl = object.integer("ttl").ok_or(Reject::InvalidJson)?;
        let sealed_at = optional_natural(&object, "ts")?;
        let prev = optional_natural(&object, "prev")?;
        let mut text = |name| object.take_text(name).ok_or(Reject::InvalidJson);
        let payload = text("payload")?;
        let claims = Claims {
            id: text("id")?.into_owned(),
            from: text("from")?.into_owned(),
            to: text("to")?.into_owned(),
            kind: text("type")?.into_owned(),
            thread: text("thread")?.into_owned(),
            seq,
            ttl,
            sealed_at,
            prev,
        };
        if claims.id.is_empty() || claims.id.len() > ID_BYTES || claims.kind.len() > KIND_BYTES {
            return Err(Reject::InvalidJson);
        }
        #[expect(clippy::float_cmp, reason = "the outer version is exactly 1")]
        if version != 1.0 {
            return Err(Reject::VersionMismatch);
        }
        let payload = base64url::decode(&payload).ok();
        Ok(Decoded {
            outer_from: self.from.into_owned(),
            outer_to: self.to.into_owned(),
            body: self.body,
            signature: self.signature,
            claims,
            payload,
        })
    }
}

/// An optional member that must be a natural number of at most 2^53 - 1.
fn optional_natural(object: &FlatObject<'_>, name: &str) -> Result<Option<u64>, Reject> {
    match object.get(name) {
        None => Ok(None),
        Some(Scalar::Integer(_)) => {
            object.integer(name).and_then(|n| u64::try_from(n).ok()).map(Some).ok_or(Reject::InvalidJson)
        }
        Some(_) => Err(Reject::InvalidJson),
    }
}

/// What the body says of itself.
#[derive(Debug, Clone)]
pub(super) struct Claims {
    pub(super) id: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) kind: String,
    pub(super) thread: String,
    pub(super) seq: i64,
    pub(super) ttl: i64,
    pub(super) sealed_at: Option<u64>,
    pub(super) prev: Option<u64>,
}

/// A whole envelope of which nothing is verified.
#[derive(Debug)]
pub struct Decoded {
    pub(super) outer_from: String,
    pub(super) outer_to: String,
    pub(super) body: Vec<u8>,
    pub(super) signature: Option<[u8; SIGNATURE_BYTES]>,
    pub(super) claims: Claims,
    pub(super) payload: Option<Vec<u8>>,
}

impl Decoded {
    /// Measures, parses and decodes: the steps that host and relay share.
    ///
    /// # Errors
    /// The first of the three that fails.
    pub fn from_wire(wire: &[u8]) -> Result<Self, Reject> {
        Measured::new(wire)?.parse()?.decode()
    }

    /// The sender that the body claims: only good for looking up a bond.
    #[must_use]
    pub fn claimed_sender(&self) -> &str {
        &self.claims.from
    }
}
