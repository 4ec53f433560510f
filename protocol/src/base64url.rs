//! Strict, unpadded base64url (RFC 4648, section 5).
//!
//! Exactly one text stands for each byte string: padding, foreign characters,
//! impossible lengths, non-zero spare bits and the empty text are refused.

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

/// Appends the encoding of `bytes` to `text`.
pub fn encode_into(bytes: &[u8], text: &mut String) {
    ENGINE.encode_string(bytes, text);
}

/// Decodes canonical text.
///
/// # Errors
/// [`NotBase64Url`] for anything that does not re-encode to the same text, and for the empty text.
pub fn decode(text: &str) -> Result<Vec<u8>, NotBase64Url> {
    if text.is_empty() {
        return Err(NotBase64Url);
    }
    ENGINE.decode(text).map_err(|_| NotBase64Url)
}

/// Decodes canonical text of exactly `N` bytes.
///
/// # Errors
/// [`NotBase64Url`] as [`decode`], and for any other length.
pub fn decode_array<const N: usize>(text: &str) -> Result<[u8; N], NotBase64Url> {
    decode(text)?.try_into().map_err(|_| NotBase64Url)
}
