//! Every bound of the protocol in one place. Sizes are bytes, times are milliseconds unless the name says otherwise.

pub use agentpair_codec::json::{DEPTH as JSON_DEPTH, MAX_SAFE_INTEGER};

/// Largest serialised envelope. Exactly this many bytes still pass.
pub const ENVELOPE_BYTES: usize = 65_536;
/// Largest plaintext of an artifact.
pub const ARTIFACT_BYTES: usize = 10_485_760;
/// What sealing an artifact adds: nonce and tag.
pub const ARTIFACT_OVERHEAD: usize = 40;
/// Shortest decoded payload: nonce and tag around an empty plaintext.
pub const PAYLOAD_MIN_BYTES: usize = 40;
/// Longest thread name accepted.
pub const THREAD_BYTES: usize = 256;
/// Longest thread name that we emit.
pub const THREAD_EMIT_BYTES: usize = 128;
/// Threads kept for one bond.
pub const THREADS_PER_BOND: usize = 4_096;
/// AEAD nonces remembered for one bond.
pub const NONCES_PER_BOND: u32 = 4_096;
/// Largest allowlist.
pub const ALLOWLIST_ENTRIES: usize = 1_024;
/// Largest message in the pairing slot.
pub const PAIR_MESSAGE_BYTES: usize = 16_384;
/// Largest published invite.
pub const INVITE_BYTES: usize = 8_192;
/// Life of an unclaimed invite.
pub const INVITE_MS: u64 = 30 * MINUTE_MS;
/// Life of a pairing session, from the claim.
pub const PAIR_SESSION_MS: u64 = 5 * MINUTE_MS;
/// Profiles in one list.
pub const PROFILES: usize = 32;
/// Length of one profile id.
pub const PROFILE_BYTES: usize = 64;
/// Ids in one acknowledgement.
pub const ACK_IDS: usize = 64;
/// Largest number of turns of one session.
pub const MAX_TURNS: u32 = 1_000;
/// Largest deliverable: both humans have to read it.
pub const DELIVERABLE_BYTES: usize = 1_048_576;
/// All deliverables and words of one session together.
pub const SESSION_BYTES: u64 = 16 * 1_048_576;
/// Largest plaintext of an opening: a human has to read it.
pub const TERMS_BYTES: usize = 65_536;
/// Longest type of a turn.
pub const TURN_TYPE_BYTES: usize = 64;
/// Longest reason that is sent or kept.
pub const REASON_BYTES: usize = 8_192;
/// Openings of one peer that wait for the human at once.
pub const OPENINGS_PER_BOND: usize = 16;

/// One second.
pub const SECOND_MS: u64 = 1_000;
/// One minute.
pub const MINUTE_MS: u64 = 60 * SECOND_MS;
/// One hour.
pub const HOUR_MS: u64 = 60 * MINUTE_MS;
/// One day.
pub const DAY_MS: u64 = 24 * HOUR_MS;
/// Life of an owner message unless it says otherwise.
pub const MESSAGE_TTL_MS: u64 = 7 * DAY_MS;
/// No message outlives this.
pub const MESSAGE_TTL_MAX_MS: u64 = 30 * DAY_MS;
/// A timestamp bounds expiry: nothing is accepted later than this after it was sealed.
pub const SEALED_LIFE_MS: u64 = 31 * DAY_MS;
