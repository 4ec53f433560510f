//! `PUT /allowlist/{agent_id}`: who may write to this inbox. The first one makes the inbox.

use agentpair_protocol::base64url;
use agentpair_protocol::bond::allowlist::Allowlist;
use agentpair_protocol::signed_blob::SignedBlob;
use subtle::ConstantTimeEq as _;

use crate::edge::{Ask, Brake, Class, Failure, Reply};
use crate::hash::sha256;
use crate::inbox::call::Call;
use crate::problem::Problem;

pub(crate) async fn put(mut ask: Ask, agent_id: &str) -> Result<Reply, Failure> {
    let body = ask.body(ask.config.limits.allowlist_body_bytes, Problem::PAYLOAD_TOO_LARGE).await?;
    Brake::Register.press(&ask).await?;
    let list = Allowlist::open(agent_id, &body).map_err(Problem::from)?;
    let call = Call::Allow {
        version: list.version,
        allowed: list.allowed,
        digest: hex::encode(sha256(&signed_bytes(&body)?)),
        may_register: may_register(&ask),
    };
    Ok(Class::Inbox.ask(&ask.env, agent_id, &call, &body).await?.into())
}

/// The bytes that were signed. The body was read once already, so this cannot fail.
fn signed_bytes(body: &[u8]) -> Result<Vec<u8>, Problem> {
    let signed = SignedBlob::read(body).map_err(|_| Problem::INTERNAL)?;
    base64url::decode(&signed.blob).map_err(|_| Problem::INTERNAL)
}

fn may_register(ask: &Ask) -> bool {
    match (&ask.config.registration, ask.bearer()) {
        (None, _) => true,
        (Some(token), Some(given)) => token.as_bytes().ct_eq(given.as_bytes()).into(),
        (Some(_), None) => false,
    }
}
