//! Brakes on what anyone may do: counted by the platform, per client address. A relay without the
//! bindings has no brakes.

use worker::console_error;

use super::ask::Ask;
use crate::problem::Problem;

/// An unauthenticated act that is counted.
#[derive(Clone, Copy)]
pub(crate) enum Brake {
    /// Asking for a challenge.
    Challenge,
    /// A message for a pairing slot.
    Pair,
    /// Publishing an invite.
    Publish,
    /// Claiming an invite.
    Claim,
    /// Pushing an allowlist: a fresh key makes a new inbox.
    Register,
    /// Writing to where one may not.
    Stranger,
    /// Waiting on a pairing session: it keeps an object awake.
    Wait,
}

impl Brake {
    fn binding(self) -> &'static str {
        match self {
            Self::Challenge => "LIMITER_CHALLENGE",
            Self::Pair => "LIMITER_PAIR",
            Self::Publish => "LIMITER_PUBLISH",
            Self::Claim => "LIMITER_CLAIM",
            Self::Register => "LIMITER_REGISTER",
            Self::Stranger => "LIMITER_STRANGER",
            Self::Wait => "LIMITER_WAIT",
        }
    }

    /// Counts one act. A limiter that fails lets it pass: it is a brake, not a lock.
    pub(crate) async fn press(self, ask: &Ask) -> Result<(), Problem> {
        let Ok(limiter) = ask.env.rate_limiter(self.binding()) else { return Ok(()) };
        match limiter.limit(ask.address()).await {
            Ok(outcome) if !outcome.success => Err(Problem::RATE_LIMITED.after(ask.config.brake_period_s)),
            Ok(_) => Ok(()),
            Err(error) => {
                console_error!("{} does not answer: {error}", self.binding());
                Ok(())
            }
        }
    }
}
