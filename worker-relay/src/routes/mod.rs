//! What each route does before, and after, an object is asked.

pub mod health;
pub mod path;
#[cfg(target_arch = "wasm32")]
mod allowlist;
#[cfg(target_arch = "wasm32")]
pub(crate) mod artifact;
#[cfg(target_arch = "wasm32")]
mod challenge;
#[cfg(target_arch = "wasm32")]
mod inbox;
#[cfg(target_arch = "wasm32")]
mod invite;
#[cfg(target_arch = "wasm32")]
mod pair;
#[cfg(target_arch = "wasm32")]
mod router;

#[cfg(target_arch = "wasm32")]
pub(crate) use router::route;
