//! Who speaks: strict agent ids, key pairs, and signatures with a domain.

mod agent_id;
mod keypair;
mod signing;
mod small_order;

pub use agent_id::{AgentId, IdentityFault, PREFIX};
pub use keypair::Keypair;
pub use signing::{BadSignature, Domain, SIGNATURE_BYTES, Transcript};
