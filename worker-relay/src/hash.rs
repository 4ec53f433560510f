//! The hashes the relay compares by.

use sha2::{Digest as _, Sha256};

/// SHA-256.
#[must_use]
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The entity tag of a slot: the first 32 hex digits of the SHA-256 of its bytes.
#[must_use]
pub fn etag(bytes: &[u8]) -> String {
    let mut text = hex::encode(sha256(bytes));
    text.truncate(32);
    text
}

/// The 32 bytes that a path names as 64 lowercase hex digits.
#[must_use]
pub fn parse_sha256(text: &str) -> Option<[u8; 32]> {
    if text.bytes().any(|b| b.is_ascii_uppercase()) {
        return None;
    }
    let mut bytes = [0; 32];
    hex::decode_to_slice(text, &mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn etag_is_the_head_of_the_digest() {
        // SHA-256 of the empty string, FIPS 180-4.
        assert_eq!(etag(b""), "e3b0c44298fc1c149afbf4c8996fb924");
    }

    #[test]
    fn only_64_lowercase_digits_name_a_hash() {
        let zeros = "0".repeat(64);
        assert_eq!(parse_sha256(&zeros), Some([0; 32]));
        for bad in [&zeros[1..], &format!("{zeros}0"), &"A".repeat(64), &"g".repeat(64), ""] {
            assert_eq!(parse_sha256(bad), None, "{bad:?}");
        }
    }
}
