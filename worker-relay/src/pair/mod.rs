//! One pairing session per session id: a single slot with a fixed end.

pub mod call;
pub mod decide;
#[cfg(target_arch = "wasm32")]
mod object;
#[cfg(target_arch = "wasm32")]
mod waiters;
