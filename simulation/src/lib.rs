//! The simulation: many hosts and a relay in one process, with one virtual clock, and every fault that a seed can draw.
//!
//! The hosts are the real engine (`agentpair_protocol::engine`), restarted from what their disks hold; the relay is its
//! real decisions (`agentpair_relay`) over maps. A run is a function of its [`Plan`](plan::Plan), and a plan follows from
//! a seed: whatever fails once fails again.
//!
//! ```text
//! people -> commands -> engine -> effects -> network -> relay -> network -> engine
//!                          |  a crash between any two       |  faults: dropped, late, twice, out of order, altered
//!                          v                                v
//!                        disk -> checks               restarts, lost disks, lies
//! ```
//!
//! After the last act everything heals, a day passes, and then nothing may be lost, doubled or half done.

// Made for tests: what cannot be is a reason to stop.
#![allow(clippy::indexing_slicing, clippy::missing_errors_doc)]

pub mod checks;
pub mod dice;
pub mod faults;
pub mod machine;
pub mod pairing;
pub mod people;
pub mod plan;
pub mod relay;
pub mod run;
pub mod shrink;
pub mod trace;
pub mod world;
