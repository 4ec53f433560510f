//! Challenges: asked for by anyone, at no cost to the owner; good for one act of the owner.

use agentpair_protocol::challenge::{self, Purpose};
use serde::Serialize;

use crate::answer::Answer;
use crate::edge::{Ask, Brake, Failure};
use crate::inbox::call::Permit;
use crate::problem::Problem;
use crate::verify::signed_by;

/// A challenge and its signature, as a request carries them.
pub(crate) struct Presented {
    challenge: String,
    pub(crate) sig: String,
}

impl Presented {
    /// Both query parameters, or nothing.
    pub(crate) fn of(ask: &Ask) -> Option<Self> {
        Some(Self { challenge: ask.query("challenge")?, sig: ask.query("sig")? })
    }

    /// The challenge is ours, made for this subject and purpose, and has not expired. It may have been used.
    pub(crate) fn fresh(&self, ask: &Ask, subject: &str, purpose: Purpose) -> Result<Permit, Problem> {
        let key = ask.config.challenge_key.as_ref().ok_or(Problem::MISCONFIGURED)?;
        let expires_at_s = challenge::check(key, subject, purpose, &self.challenge, ask.now.secs())
            .map_err(|_| Problem::CHALLENGE_INVALID)?;
        Ok(Permit { challenge: self.challenge.clone(), expires_at_s })
    }

    /// As [`Presented::fresh`], and signed by that agent.
    pub(crate) fn permit(&self, ask: &Ask, agent_id: &str, purpose: Purpose) -> Result<Permit, Problem> {
        let permit = self.fresh(ask, agent_id, purpose)?;
        signed_by(agent_id, permit.challenge.as_bytes(), &self.sig).ok_or(Problem::CHALLENGE_INVALID)?;
        Ok(permit)
    }
}

#[derive(Serialize)]
struct Issued<'a> {
    challenge: &'a str,
    expires_at: u64,
}

/// Answers 401 with a new challenge. Nothing is stored, so asking changes nothing for the owner.
pub(crate) async fn issue(ask: &Ask, subject: &str, purpose: Purpose) -> Result<Answer, Failure> {
    Brake::Challenge.press(ask).await?;
    let key = ask.config.challenge_key.as_ref().ok_or(Problem::MISCONFIGURED)?;
    let expires_at_s = ask.now.after(ask.config.limits.challenge_ms) / 1_000;
    let mut random = [0; 5];
    getrandom::fill(&mut random)?;
    let seconds = u32::try_from(expires_at_s).map_err(|_| Problem::INTERNAL)?;
    let text = challenge::issue(key, subject, purpose, &ask.host(), seconds, random).map_err(|_| Problem::INTERNAL)?;
    let issued = Issued { challenge: &text, expires_at: expires_at_s * 1_000 };
    Ok(Answer::json(401, &issued).with("x-agentpair-challenge", text.clone()))
}
