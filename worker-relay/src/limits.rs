//! Every bound of the relay in one place. Sizes are bytes; times are milliseconds.
//!
//! Each is a variable of the Worker (`LIMIT_` and the name in capitals), so that a test or a small
//! installation can lower it without a build.

use agentpair_protocol::limits as protocol;

const KIB: u64 = 1_024;
const MIB: u64 = 1_024 * KIB;

/// The largest plaintext of an artifact, and what sealing adds.
pub const ARTIFACT_BYTES: u64 = (protocol::ARTIFACT_BYTES + protocol::ARTIFACT_OVERHEAD) as u64;

/// A variable that should hold a limit does not hold a whole number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLimit(
    /// The variable's name.
    pub &'static str,
);

/// Declares the limits with their defaults and the variables that override them.
macro_rules! limits {
    ($($(#[$doc:meta])* $field:ident = $default:expr, $var:literal;)+) => {
        /// The bounds in force.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Limits { $($(#[$doc])* pub $field: u64,)+ }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl Limits {
            /// Every variable that overrides a limit.
            pub const VARIABLES: &'static [&'static str] = &[$($var,)+];

            /// The defaults, with what the variables say instead.
            ///
            /// # Errors
            /// [`BadLimit`] names the first variable that is set but is not a whole number.
            pub fn from_variables(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, BadLimit> {
                Ok(Self {
                    $($field: match lookup($var) {
                        None => $default,
                        Some(text) => text.trim().parse().map_err(|_| BadLimit($var))?,
                    },)+
                })
            }
        }
    };
}

limits! {
    /// Largest envelope, as its bytes on the wire.
    envelope_bytes = protocol::ENVELOPE_BYTES as u64, "LIMIT_ENVELOPE_BYTES";
    /// Largest HTTP body that is read at all on the way to an inbox.
    inbox_body_bytes = 128 * KIB, "LIMIT_INBOX_BODY_BYTES";
    /// Largest HTTP body of an allowlist: 1,024 entries take about 75 KiB.
    allowlist_body_bytes = 128 * KIB, "LIMIT_ALLOWLIST_BODY_BYTES";
    /// Envelopes waiting in one inbox.
    inbox_rows = 4_096, "LIMIT_INBOX_ROWS";
    /// Bytes waiting in one inbox.
    inbox_bytes = 64 * MIB, "LIMIT_INBOX_BYTES";
    /// Envelopes of one sender waiting in one inbox.
    sender_rows = 1_024, "LIMIT_SENDER_ROWS";
    /// Bytes of one sender waiting in one inbox.
    sender_bytes = 8 * MIB, "LIMIT_SENDER_BYTES";
    /// The last bytes of an inbox, kept for senders that hold little: a loud peer cannot silence a quiet one.
    reserve_bytes = MIB, "LIMIT_RESERVE_BYTES";
    /// A sender that holds no more than this, the new envelope included, may use the reserve.
    reserve_holding_bytes = 64 * KIB, "LIMIT_RESERVE_HOLDING_BYTES";
    /// Longest stay of an envelope, whatever its ttl says.
    envelope_life_ms = protocol::MESSAGE_TTL_MAX_MS, "LIMIT_ENVELOPE_LIFE_MS";
    /// Trimmed envelopes whose id and hash are remembered, counted in row ids from the newest.
    trimmed_rows = 65_536, "LIMIT_TRIMMED_ROWS";
    /// Envelopes in the answer to one pull.
    pull_rows = 256, "LIMIT_PULL_ROWS";
    /// Bytes of envelopes in the answer to one pull.
    pull_bytes = MIB, "LIMIT_PULL_BYTES";
    /// Live sockets of one inbox.
    live_sockets = 8, "LIMIT_LIVE_SOCKETS";
    /// Frames sent on one socket and not acknowledged.
    live_frames = 256, "LIMIT_LIVE_FRAMES";
    /// Bytes of envelopes sent on one socket and not acknowledged.
    live_bytes = MIB, "LIMIT_LIVE_BYTES";
    /// Largest message in a pairing slot.
    pair_message_bytes = protocol::PAIR_MESSAGE_BYTES as u64, "LIMIT_PAIR_MESSAGE_BYTES";
    /// Life of a pairing session, from its first message.
    pair_session_ms = protocol::PAIR_SESSION_MS, "LIMIT_PAIR_SESSION_MS";
    /// Requests that wait on one pairing session at once.
    pair_waiters = 32, "LIMIT_PAIR_WAITERS";
    /// Longest wait of one request.
    pair_wait_ms = 25_000, "LIMIT_PAIR_WAIT_MS";
    /// Largest HTTP body of an invite.
    invite_bytes = protocol::INVITE_BYTES as u64, "LIMIT_INVITE_BYTES";
    /// Longest life of an invite, from its publication.
    invite_ms = protocol::INVITE_MS, "LIMIT_INVITE_MS";
    /// How long an ended session or invite is still known, and answered with 410.
    tombstone_ms = 10 * protocol::MINUTE_MS, "LIMIT_TOMBSTONE_MS";
    /// Refused claims that are counted; more change nothing, so that a stranger cannot make the relay write for ever.
    refused_claims = 1_000, "LIMIT_REFUSED_CLAIMS";
    /// Largest artifact.
    artifact_bytes = ARTIFACT_BYTES, "LIMIT_ARTIFACT_BYTES";
    /// Bytes of artifacts of one owner.
    artifact_quota_bytes = 50 * MIB, "ARTIFACT_QUOTA_BYTES";
    /// How long an artifact stays after it was last put.
    artifact_retention_ms = 7 * protocol::DAY_MS, "ARTIFACT_RETENTION_MS";
    /// How long quota stays reserved for an upload that never ended.
    artifact_upload_ms = 15 * protocol::MINUTE_MS, "LIMIT_ARTIFACT_UPLOAD_MS";
    /// An inbox looks for what has expired at most this often. Reads never show what has.
    sweep_grain_ms = protocol::MINUTE_MS, "LIMIT_SWEEP_GRAIN_MS";
    /// Life of a challenge.
    challenge_ms = protocol::MINUTE_MS, "LIMIT_CHALLENGE_MS";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_the_documented_numbers() {
        let limits = Limits::default();
        assert_eq!(limits.envelope_bytes, 65_536);
        assert_eq!(limits.inbox_body_bytes, 131_072);
        assert_eq!(limits.inbox_rows, 4_096);
        assert_eq!(limits.inbox_bytes, 67_108_864);
        assert_eq!((limits.sender_rows, limits.sender_bytes), (1_024, 8_388_608));
        assert_eq!((limits.reserve_bytes, limits.reserve_holding_bytes), (1_048_576, 65_536));
        assert_eq!((limits.pull_rows, limits.pull_bytes), (256, 1_048_576));
        assert_eq!((limits.live_sockets, limits.live_frames, limits.live_bytes), (8, 256, 1_048_576));
        assert_eq!((limits.pair_message_bytes, limits.pair_session_ms), (16_384, 300_000));
        assert_eq!((limits.pair_waiters, limits.pair_wait_ms), (32, 25_000));
        assert_eq!((limits.invite_bytes, limits.invite_ms), (8_192, 1_800_000));
        assert_eq!(limits.tombstone_ms, 600_000);
        assert_eq!(limits.artifact_bytes, 10_485_800);
        assert_eq!((limits.artifact_quota_bytes, limits.artifact_retention_ms), (52_428_800, 604_800_000));
        assert_eq!(limits.envelope_life_ms, 30 * 86_400_000);
        assert_eq!(limits.challenge_ms, 60_000);
    }

    #[test]
    fn a_variable_overrides_one_limit_and_nonsense_is_named() {
        let limits = Limits::from_variables(|name| (name == "LIMIT_INBOX_ROWS").then(|| " 3 ".to_owned()));
        assert_eq!(limits, Ok(Limits { inbox_rows: 3, ..Limits::default() }));
        for text in ["", "-1", "1.5", "many"] {
            let limits = Limits::from_variables(|name| (name == "LIMIT_PULL_ROWS").then(|| text.to_owned()));
            assert_eq!(limits, Err(BadLimit("LIMIT_PULL_ROWS")), "{text:?}");
        }
    }

    #[test]
    fn variable_names_are_unique() {
        let mut names = Limits::VARIABLES.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Limits::VARIABLES.len());
    }
}
