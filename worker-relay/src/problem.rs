//! Refusals: a status and a stable code, answered as `{"error": code}`.

use agentpair_protocol::bond::allowlist::AllowlistFault;
use agentpair_protocol::error::Reject;
use agentpair_protocol::pairing::invite::InviteFault;

/// Why a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// The HTTP status.
    pub status: u16,
    /// The value of `error` in the answer.
    pub code: &'static str,
    /// Seconds after which trying again may help; the `Retry-After` header.
    pub retry_after_s: Option<u32>,
}

/// Declares the problems, and the list that the tests pin.
macro_rules! problems {
    ($($(#[$doc:meta])* $name:ident = $status:literal $code:literal $(retry $after:literal)?;)+) => {
        impl Problem {
            $($(#[$doc])* pub const $name: Self = Self {
                status: $status,
                code: $code,
                retry_after_s: problems!(@after $($after)?),
            };)+

            /// Every problem, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];
        }
    };
    (@after) => { None };
    (@after $after:literal) => { Some($after) };
}

problems! {
    /// No such route.
    NOT_FOUND = 404 "not_found";
    /// The route exists, the method does not.
    METHOD_NOT_ALLOWED = 405 "method_not_allowed";
    /// Something broke here; nothing is said about what.
    INTERNAL = 500 "internal";
    /// A variable or secret of the Worker is missing or wrong.
    MISCONFIGURED = 500 "relay_misconfigured";
    /// The storage of artifacts is not reachable.
    UNAVAILABLE = 503 "unavailable" retry 5;
    /// A brake on an unauthenticated act. The window's length replaces the default wait.
    RATE_LIMITED = 429 "rate_limit_exceeded" retry 60;

    /// The envelope, or the body around it, is larger than allowed.
    ENVELOPE_TOO_LARGE = 413 "envelope_too_large";
    /// The sender is not on the recipient's allowlist, or there is no such recipient: one answer for both.
    RECIPIENT_NOT_ALLOWED = 403 "recipient_not_allowed";
    /// Another envelope has this id.
    ENVELOPE_ID_COLLISION = 409 "envelope_id_collision";
    /// The inbox, or this sender's share of it, is full.
    INBOX_FULL = 429 "inbox_full" retry 60;

    /// The challenge is not ours, not for this, too old, used, or not signed by the owner.
    CHALLENGE_INVALID = 403 "challenge_invalid";
    /// A purge names no sender.
    SENDER_REQUIRED = 400 "sender_required";
    /// A purge names something that is no agent id.
    INVALID_SENDER = 400 "invalid_sender";
    /// A trim names no row, or not a whole number.
    INVALID_THROUGH = 400 "invalid_through";
    /// The live stream of an inbox that was never registered here.
    AGENT_NOT_REGISTERED = 403 "agent_not_registered";

    /// A body other than an envelope or an artifact is not JSON.
    INVALID_JSON = 400 "invalid_json";
    /// A signature does not verify.
    INVALID_SIGNATURE = 403 "invalid_signature";
    /// The body is larger than allowed.
    PAYLOAD_TOO_LARGE = 413 "payload_too_large";
    /// A newer version of this allowlist is in force.
    ALLOWLIST_STALE = 409 "allowlist_stale";
    /// The relay is closed, and the request carries no registration token.
    REGISTRATION_CLOSED = 403 "registration_closed";

    /// The session id is outside the grammar.
    INVALID_SESSION_ID = 400 "invalid_session_id";
    /// No such pairing session, or none yet.
    PAIR_NOT_FOUND = 404 "pair_not_found";
    /// The pairing session has ended.
    PAIR_SESSION_LOST = 410 "pair_session_lost";
    /// The slot holds another message than the caller last saw.
    PAIR_SLOT_CHANGED = 412 "pair_slot_changed";

    /// The invite is not in the form that the specification gives.
    INVALID_INVITE = 400 "invalid_invite";
    /// The claim carries no claim id of 16 bytes.
    INVALID_CLAIM = 400 "invalid_claim";
    /// Another invite has this name, or had it a moment ago.
    INVITE_TAKEN = 409 "invite_taken";
    /// Never published here, or long ago.
    INVITE_NOT_FOUND = 404 "invite_not_found";
    /// Claimed by somebody else.
    INVITE_CLAIMED = 410 "invite_claimed";
    /// Past its end, or withdrawn.
    INVITE_EXPIRED = 410 "invite_expired";

    /// An artifact upload without its headers.
    AUTH_REQUIRED = 401 "auth_required";
    /// An artifact upload must say its length.
    LENGTH_REQUIRED = 411 "length_required";
    /// The bytes do not have the hash of the path.
    HASH_MISMATCH = 400 "hash_mismatch";
    /// The owner's artifacts would take more than their quota.
    QUOTA_EXCEEDED = 413 "quota_exceeded";
    /// No such artifact, or no longer.
    ARTIFACT_NOT_FOUND = 404 "artifact_not_found";
}

impl Problem {
    /// The same problem with another wait.
    #[must_use]
    pub const fn after(self, seconds: u32) -> Self {
        Self { retry_after_s: Some(seconds), ..self }
    }
}

/// The relay's view of a rejected envelope: too large is 413, who may not is 403, the rest is 400.
impl From<Reject> for Problem {
    fn from(reject: Reject) -> Self {
        let status = match reject {
            Reject::EnvelopeTooLarge => 413,
            Reject::InvalidSignature | Reject::RecipientNotAllowed => 403,
            _ => 400,
        };
        Self { status, code: reject.code(), retry_after_s: None }
    }
}

impl From<AllowlistFault> for Problem {
    fn from(fault: AllowlistFault) -> Self {
        Self { status: fault.status(), code: fault.code(), retry_after_s: None }
    }
}

impl From<InviteFault> for Problem {
    fn from(fault: InviteFault) -> Self {
        Self { status: fault.status(), code: fault.code(), retry_after_s: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_keep_their_code_and_get_the_status_of_the_draft() {
        for (reject, status) in [
            (Reject::EnvelopeTooLarge, 413),
            (Reject::UnsupportedVersion, 400),
            (Reject::InvalidJson, 400),
            (Reject::VersionMismatch, 400),
            (Reject::RoutingMismatch, 400),
            (Reject::EnvelopeExpired, 400),
            (Reject::InvalidSignature, 403),
            (Reject::RecipientNotAllowed, 403),
        ] {
            let problem = Problem::from(reject);
            assert_eq!((problem.status, problem.code), (status, reject.code()));
        }
    }

    #[test]
    fn every_429_says_when_to_come_back() {
        for problem in Problem::ALL {
            assert!(problem.status != 429 || problem.retry_after_s.is_some(), "{}", problem.code);
        }
    }
}
