//! `POST /test-panic/{agent_id}`: panics, so that a test can see what the shim makes of it. Only in the build
//! of that test.

use crate::edge::{Ask, Class, Failure, Reply};
use crate::inbox::call::Call;

/// Panics in the agent's inbox, or in the Worker itself for the id `worker`.
#[expect(clippy::panic, reason = "the point of the feature")]
pub(crate) async fn post(ask: &Ask, id: &str) -> Result<Reply, Failure> {
    if id == "worker" {
        panic!("asked to panic");
    }
    Ok(Class::Inbox.ask(&ask.env, id, &Call::Panic, &[]).await?.into())
}
