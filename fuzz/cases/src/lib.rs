//! What each fuzz target does with its bytes.
//!
//! A target may panic on a defect only. It checks more than that nothing breaks: what is accepted comes back when it
//! is written again, and where there is a second reader of the same thing, both agree.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic is a find"
)]

mod encoding;
mod envelope;
mod host;
mod json;
mod pairing;
mod payload;
mod proof;
mod relay;
mod signed;

pub use encoding::encoding;
pub use envelope::envelope;
pub use host::{answers, engine, store};
pub use json::json;
pub use pairing::pairing;
pub use payload::payload;
pub use proof::proof;
pub use relay::relay;
pub use signed::signed;

/// A target: its name, which is also that of its corpus, and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 11] = [
    ("envelope", envelope),
    ("json", json),
    ("encoding", encoding),
    ("pairing", pairing),
    ("signed", signed),
    ("payload", payload),
    ("proof", proof),
    ("relay", relay),
    ("answers", answers),
    ("store", store),
    ("engine", engine),
];

/// The first byte, which says what the rest is, and the rest.
fn choose(data: &[u8]) -> (u8, &[u8]) {
    data.split_first().map_or((0, data), |(first, rest)| (*first, rest))
}
