//! Bindings: convert, call, convert. What is decided is decided in `agentpair-protocol`.

pub mod code;
pub mod engine;
pub mod error;
pub mod identity;
mod number;
pub mod opened;
pub mod pair_key;
mod panic;
mod random;
pub mod safety;
pub mod spake;
pub mod vault;
