//! `/inbox/{agent_id}`: write, read, delete, follow.

use agentpair_protocol::challenge::Purpose;
use agentpair_protocol::envelope::Accepted;
use agentpair_protocol::identity::AgentId;

use super::challenge::{Presented, issue};
use crate::edge::{Ask, Brake, Class, Failure, Reply, open_live};
use crate::hash::sha256;
use crate::inbox::call::{Call, Live};
use crate::inbox::decide::page;
use crate::problem::Problem;
use crate::verify;

/// Takes an envelope. Everything but the allowlist and the room is judged here, in the draft's order.
pub(crate) async fn post(mut ask: Ask, agent_id: &str) -> Result<Reply, Failure> {
    let limits = &ask.config.limits;
    let (body_cap, envelope_cap) = (limits.inbox_body_bytes, limits.envelope_bytes);
    let wire = ask.body(body_cap, Problem::ENVELOPE_TOO_LARGE).await?;
    if wire.len() as u64 > envelope_cap {
        return Err(Problem::ENVELOPE_TOO_LARGE.into());
    }
    let Accepted { id, sender, ttl } = verify::envelope(&wire, agent_id, ask.now).map_err(Problem::from)?;
    let answer = if AgentId::parse(agent_id).is_ok() {
        let call = Call::Post {
            sender: sender.as_str().to_owned(),
            id_digest: hex::encode(sha256(id.as_bytes())),
            ttl_s: ttl,
        };
        Class::Inbox.ask(&ask.env, agent_id, &call, &wire).await?.into()
    } else {
        // Another spelling of an id has no inbox.
        Reply::Answer(Problem::RECIPIENT_NOT_ALLOWED.into())
    };
    if answer.status() == Problem::RECIPIENT_NOT_ALLOWED.status {
        Brake::Stranger.press(&ask).await?;
    }
    Ok(answer)
}

/// Reads from a row on.
pub(crate) async fn pull(ask: &Ask, agent_id: &str) -> Result<Reply, Failure> {
    let Some(presented) = Presented::of(ask) else { return Ok(issue(ask, agent_id, Purpose::Pull).await?.into()) };
    let permit = presented.permit(ask, agent_id, Purpose::Pull)?;
    let senders = ask.query("senders").map(|list| {
        // What is no agent id can have no rows.
        list.split(',').map(str::trim).filter(|id| AgentId::parse(id).is_ok()).map(str::to_owned).collect()
    });
    let call = Call::Pull { permit, since: page::since(ask.query("since").as_deref()), senders };
    Ok(Class::Inbox.ask(&ask.env, agent_id, &call, &[]).await?.into())
}

/// Deletes what one sender left.
pub(crate) async fn purge(ask: &Ask, agent_id: &str) -> Result<Reply, Failure> {
    let sender = ask.query("sender").filter(|sender| !sender.is_empty()).ok_or(Problem::SENDER_REQUIRED)?;
    if !AgentId::has_prefix(&sender) {
        return Err(Problem::INVALID_SENDER.into());
    }
    let Some(presented) = Presented::of(ask) else { return Ok(issue(ask, agent_id, Purpose::Purge).await?.into()) };
    let permit = presented.permit(ask, agent_id, Purpose::Purge)?;
    Ok(Class::Inbox.ask(&ask.env, agent_id, &Call::Purge { permit, sender }, &[]).await?.into())
}

/// Deletes what was durably processed.
pub(crate) async fn trim(ask: &Ask, agent_id: &str) -> Result<Reply, Failure> {
    let through = ask.query("through").and_then(|text| text.parse().ok()).ok_or(Problem::INVALID_THROUGH)?;
    let Some(presented) = Presented::of(ask) else { return Ok(issue(ask, agent_id, Purpose::Trim).await?.into()) };
    let permit = presented.permit(ask, agent_id, Purpose::Trim)?;
    Ok(Class::Inbox.ask(&ask.env, agent_id, &Call::Trim { permit, through }, &[]).await?.into())
}

/// Follows the inbox. Without an upgrade this is where the challenge comes from: a WebSocket client cannot read one.
pub(crate) async fn live(ask: &Ask, agent_id: &str) -> Result<Reply, Failure> {
    let presented = Presented::of(ask).filter(|_| ask.wants_upgrade());
    let Some(presented) = presented else { return Ok(issue(ask, agent_id, Purpose::Live).await?.into()) };
    let permit = presented.permit(ask, agent_id, Purpose::Live)?;
    let live = Live { permit, since: page::since(ask.query("since").as_deref()) };
    Ok(open_live(&ask.env, agent_id, &live).await?.into())
}
