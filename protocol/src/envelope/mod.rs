//! Envelopes: sealed by one agent, judged step by step by the relay and by the other agent.
//!
//! Each check consumes one type and returns the next, in the order of the draft, so that
//! nothing can be read before it was verified:
//!
//! ```text
//! host   bytes -> Measured -> Parsed -> Decoded -> Bonded -> Authentic -> Routed -> Fresh -> Opened
//! relay                                 Decoded -> Addressed -> Timely -> Accepted
//! ```

mod bind;
mod body;
mod kind;
mod open;
mod pair_key;
mod relay;
mod seal;

pub use agentpair_codec::aead::NONCE_BYTES;
#[cfg(feature = "hazmat")]
pub use agentpair_codec::aead::hazmat;
pub(crate) use agentpair_codec::aead::{open_under, seal_under};
pub use bind::bind;
pub use body::{Decoded, Measured, Parsed};
pub use kind::{Kind, Profile, Profiles, ProfilesFault};
pub use open::{Authentic, Bonded, Fresh, Headers, Opened, Routed};
#[cfg(feature = "hazmat")]
pub use pair_key::shared_secret_of;
pub use pair_key::{NoSharedKey, PairKey};
pub use relay::{Accepted, Addressed, Timely};
pub(crate) use seal::seal_recording;
#[cfg(feature = "hazmat")]
pub use seal::seal_with_nonce;
pub use seal::{Draft, SealFault, Stamp, seal};
