//! Bonds: who may write to whom, and how a bond begins and ends.

pub mod allowlist;
mod record;

pub use record::{Bond, BondStatus, Farewell, Mode, Registration, Scope, Verification};
