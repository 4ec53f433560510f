//! Numbers of JavaScript as integers of the protocol.

use agentpair_protocol::limits::MAX_SAFE_INTEGER;

use crate::error::{CodedError, invalid};

/// A natural number of at most 2^53 - 1.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is whole and in the range that both types hold exactly"
)]
pub(crate) fn natural(name: &str, value: f64) -> Result<u64, CodedError> {
    if value.fract() == 0.0 && (0.0..=MAX_SAFE_INTEGER as f64).contains(&value) {
        Ok(value as u64)
    } else {
        Err(invalid(&format!("{name} is not a natural number")))
    }
}

/// A number of at most 2^53 - 1, as all that passed the parser are.
#[expect(clippy::cast_precision_loss, reason = "bounded by the parser")]
pub(crate) fn to_js(value: u64) -> f64 {
    value as f64
}
