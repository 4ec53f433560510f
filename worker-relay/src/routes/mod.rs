//! What each route does before, and after, an object is asked.

#[cfg(target_arch = "wasm32")]
mod allowlist;
#[cfg(target_arch = "wasm32")]
pub(crate) mod artifact;
#[cfg(target_arch = "wasm32")]
mod challenge;
pub mod health;
#[cfg(target_arch = "wasm32")]
mod inbox;
#[cfg(target_arch = "wasm32")]
mod invite;
#[cfg(target_arch = "wasm32")]
mod pair;
#[cfg(all(target_arch = "wasm32", feature = "test-panic"))]
mod panic;
pub mod path;
#[cfg(target_arch = "wasm32")]
mod router;

#[cfg(target_arch = "wasm32")]
pub(crate) use router::route;
