//! Artifacts: what is too large for an envelope, encrypted before any relay sees it.

mod spill;

#[cfg(feature = "hazmat")]
pub use spill::seal_with_nonce;
pub use spill::{SpillRef, is_sha256_hex, open, seal, sha256_hex};
