//! The eight points of small order, by their encodings.

use std::sync::LazyLock;

use curve25519_dalek::constants::EIGHT_TORSION;

static ENCODINGS: LazyLock<[[u8; 32]; 8]> = LazyLock::new(|| EIGHT_TORSION.map(|point| point.compress().to_bytes()));

/// Whether the bytes are the one encoding of a point of small order. Other encodings of them are not found here.
pub(super) fn is_encoding(bytes: &[u8; 32]) -> bool {
    ENCODINGS.contains(bytes)
}
