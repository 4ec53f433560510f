//! One inbox per agent id: the allowlist, the queue, the used challenges, the artifact quota, the live sockets.

#[cfg(target_arch = "wasm32")]
mod act;
pub mod body;
pub mod call;
pub mod decide;
#[cfg(target_arch = "wasm32")]
mod object;
#[cfg(target_arch = "wasm32")]
mod sockets;
#[cfg(target_arch = "wasm32")]
mod store;
#[cfg(target_arch = "wasm32")]
mod sweep;
