//! Strict, unpadded base64url (RFC 4648, section 5).
//!
//! Exactly one text stands for each byte string: padding, foreign characters,
//! impossible lengths, non-zero spare bits and the empty text are refused.

mod groups;

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(false),
);

/// The text is not the canonical base64url form of any byte string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotBase64Url;

/// Encodes without padding.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    ENGINE.encode(bytes)
}

/// Appends the encoding of `bytes` to `out`.
pub fn append(bytes: &[u8], out: &mut Vec<u8>) {
    let rest = groups::encode(bytes, out);
    let mut last = [0; 4];
    // One or two bytes always fit.
    let length = ENGINE.encode_slice(rest, &mut last).unwrap_or_default();
    out.extend(last.iter().take(length));
}

/// Decodes canonical text.
///
/// # Errors
/// [`NotBase64Url`] for anything that does not re-encode to the same text, and for the empty text.
pub fn decode(text: &str) -> Result<Vec<u8>, NotBase64Url> {
    if text.is_empty() {
        return Err(NotBase64Url);
    }
    let mut bytes = Vec::with_capacity(base64::decoded_len_estimate(text.len()));
    // What the tables leave decides about the length and the spare bits.
    let rest = groups::decode(text.as_bytes(), &mut bytes).ok_or(NotBase64Url)?;
    ENGINE.decode_vec(rest, &mut bytes).map_err(|_| NotBase64Url)?;
    Ok(bytes)
}

/// Decodes canonical text of exactly `N` bytes.
///
/// # Errors
/// [`NotBase64Url`] as [`decode`], and for any other length.
pub fn decode_array<const N: usize>(text: &str) -> Result<[u8; N], NotBase64Url> {
    decode(text)?.try_into().map_err(|_| NotBase64Url)
}
