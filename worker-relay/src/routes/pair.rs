//! `/pair/{session_id}`: the slot of a pairing session.

use agentpair_protocol::pairing::invite::is_session_id;

use crate::edge::{Ask, Brake, Class, Failure, Reply};
use crate::pair::call::Call;
use crate::pair::decide::wait_ms;
use crate::problem::Problem;

/// Puts a message into the slot.
pub(crate) async fn post(mut ask: Ask, session_id: &str) -> Result<Reply, Failure> {
    let message = ask.body(ask.config.limits.pair_message_bytes, Problem::PAYLOAD_TOO_LARGE).await?;
    Brake::Pair.press(&ask).await?;
    if !is_session_id(session_id) {
        return Err(Problem::INVALID_SESSION_ID.into());
    }
    let call = Call::Post { condition: ask.header("if-match") };
    Ok(Class::Pair.ask(&ask.env, session_id, &call, &message).await?.into())
}

/// Reads the slot, or waits for it to change.
pub(crate) async fn get(ask: &Ask, session_id: &str) -> Result<Reply, Failure> {
    if !is_session_id(session_id) {
        return Err(Problem::PAIR_NOT_FOUND.into());
    }
    let wait_ms = wait_ms(ask.query("wait").as_deref(), &ask.config.limits);
    if wait_ms > 0 {
        Brake::Wait.press(ask).await?;
    }
    let not = ask.query("not").map(|tag| tag.trim_matches('"').to_owned());
    Ok(Class::Pair.ask(&ask.env, session_id, &Call::Get { wait_ms, not }, &[]).await?.into())
}
