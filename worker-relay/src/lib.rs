//! The AgentPair relay: a Cloudflare Worker with one Durable Object per inbox, pairing session and invite.
//!
//! It sees ciphertext and routing, holds no user key, and verifies with the same code as the hosts.
//!
//! ```text
//! request -> route -> (sizes, shape, signatures: stateless) -> object: load the view, decide, write in one block
//! ```
//!
//! The decisions (`inbox::decide`, `pair::decide`, `invite::decide`) are functions of what an object holds,
//! what is asked, and the time. They build on every target, and are tested and simulated natively; what
//! needs the runtime is built for wasm only.

pub mod answer;
pub mod clock;
pub mod frame;
pub mod hash;
pub mod inbox;
pub mod invite;
pub mod limits;
pub mod pair;
pub mod problem;
pub mod routes;
pub mod verify;

#[cfg(target_arch = "wasm32")]
mod edge;
#[cfg(target_arch = "wasm32")]
mod sql;
