//! `/invite/{name}`: published by its owner, handed out once.

use agentpair_protocol::base64url;
use agentpair_protocol::challenge::Purpose;
use agentpair_protocol::json;
use agentpair_protocol::pairing::invite::{Invite, is_name};
use agentpair_protocol::signed_blob::SignedBlob;
use serde::Deserialize;

use super::challenge::{Presented, issue};
use crate::edge::{Ask, Brake, Class, Failure, Reply};
use crate::hash::sha256;
use crate::invite::call::Call;
use crate::problem::Problem;

/// A claim id is this many bytes.
const CLAIM_ID_BYTES: usize = 16;
/// A claim is a few dozen bytes.
const CLAIM_BODY_BYTES: u64 = 1_024;

/// Publishes an invite.
pub(crate) async fn publish(mut ask: Ask, name: &str) -> Result<Reply, Failure> {
    let body = ask.body(ask.config.limits.invite_bytes, Problem::PAYLOAD_TOO_LARGE).await?;
    Brake::Publish.press(&ask).await?;
    let invite = Invite::open(&body).map_err(Problem::from)?;
    if invite.name != name {
        return Err(Problem::INVALID_INVITE.into());
    }
    // Exactly the two members are kept, whatever else the body had.
    let signed = SignedBlob::read(&body).map_err(|_| Problem::INTERNAL)?.to_json();
    let call = Call::Publish {
        digest: hex::encode(sha256(signed.as_bytes())),
        agent_id: invite.agent_id.as_str().to_owned(),
        session_id: invite.session_id,
        pake: invite.pake,
        expires_at: invite.expires_at,
    };
    Ok(Class::Invite.ask(&ask.env, name, &call, signed.as_bytes()).await?.into())
}

#[derive(Deserialize)]
struct ClaimBody {
    claim_id: String,
}

/// Asks for an invite.
pub(crate) async fn claim(mut ask: Ask, name: &str) -> Result<Reply, Failure> {
    let body = ask.body(CLAIM_BODY_BYTES, Problem::PAYLOAD_TOO_LARGE).await?;
    Brake::Claim.press(&ask).await?;
    let ClaimBody { claim_id } = json::from_object(&body).map_err(|_| Problem::INVALID_CLAIM)?;
    if base64url::decode_array::<CLAIM_ID_BYTES>(&claim_id).is_err() {
        return Err(Problem::INVALID_CLAIM.into());
    }
    if !is_name(name) {
        return Err(Problem::INVITE_NOT_FOUND.into());
    }
    Ok(Class::Invite.ask(&ask.env, name, &Call::Claim { claim_id }, &[]).await?.into())
}

/// Tells the owner how the invite stands. Anyone else gets the same answers whether the name exists or not.
pub(crate) async fn status(ask: &Ask, name: &str) -> Result<Reply, Failure> {
    let subject = format!("invite:{name}");
    let Some(presented) = Presented::of(ask) else { return Ok(issue(ask, &subject, Purpose::Invite).await?.into()) };
    let permit = presented.fresh(ask, &subject, Purpose::Invite)?;
    if !is_name(name) {
        return Err(Problem::CHALLENGE_INVALID.into());
    }
    Ok(Class::Invite.ask(&ask.env, name, &Call::Status { permit, sig: presented.sig }, &[]).await?.into())
}

/// Withdraws an invite. A name that does not exist is answered like a wrong signature.
pub(crate) async fn withdraw(ask: &Ask, name: &str) -> Result<Reply, Failure> {
    let sig = ask.query("sig").ok_or(Problem::INVALID_SIGNATURE)?;
    if !is_name(name) {
        return Err(Problem::INVALID_SIGNATURE.into());
    }
    let call = Call::Withdraw { name: name.to_owned(), sig };
    Ok(Class::Invite.ask(&ask.env, name, &call, &[]).await?.into())
}
