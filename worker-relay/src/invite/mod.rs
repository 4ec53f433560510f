//! One published invite per rendezvous name: handed out once.

pub mod call;
pub mod decide;
#[cfg(target_arch = "wasm32")]
mod object;
#[cfg(target_arch = "wasm32")]
mod store;
