//! The engine among others: two hosts and a relay in one process.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod attention;
mod gates;
mod negotiating;
mod pairing;
mod relay;
mod replays;
mod restoring;
mod sending;
mod world;
