//! The safety number: what two humans compare to know that nobody stands between their agents.

use crate::identity::{AgentId, Transcript};
use crate::vault::stretch;

const SALT: &[u8] = b"agentpair-safety-number-v1";
const GROUPS: usize = 5;

/// There is not enough memory for the number: compare the keys digest (QR) instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SafetyUnavailable;

/// Thirty digits in five groups, the same on both sides. Slow and memory-hard on purpose: compute it only when it
/// is shown, and keep it.
///
/// # Errors
/// [`SafetyUnavailable`] if 64 MiB cannot be had.
pub fn safety_number(one: &AgentId, other: &AgentId) -> Result<[String; GROUPS], SafetyUnavailable> {
    let bytes = stretch::<25>(&sorted(one, other).concat(), SALT).map_err(|_| SafetyUnavailable)?;
    let mut groups = bytes.expose().chunks_exact(5).map(|five| {
        let value = five.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
        format!("{:06}", value % 1_000_000)
    });
    Ok(std::array::from_fn(|_| groups.next().unwrap_or_default()))
}

/// The digest of both keys: compared by machines, in a QR code and in `bond.hello`.
#[must_use]
pub fn keys_digest(one: &AgentId, other: &AgentId) -> [u8; 32] {
    let [low, high] = sorted(one, other);
    Transcript::new().raw(low).raw(high).digest("agentpair-keys-v1")
}

fn sorted(one: &AgentId, other: &AgentId) -> [[u8; 32]; 2] {
    let mut keys = [*one.public_key(), *other.public_key()];
    keys.sort_unstable();
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Keypair;

    #[test]
    fn both_sides_see_one_number() {
        let [a, b, c] = [1, 2, 3].map(|n| Keypair::from_seed([n; 32]).agent_id().clone());
        let number = safety_number(&a, &b).unwrap();
        assert_eq!(safety_number(&b, &a).unwrap(), number);
        assert!(number.iter().all(|group| group.len() == 6 && group.bytes().all(|d| d.is_ascii_digit())));
        assert_ne!(safety_number(&a, &c).unwrap(), number);
        assert_eq!(keys_digest(&a, &b), keys_digest(&b, &a));
        assert_ne!(keys_digest(&a, &b), keys_digest(&a, &c));
    }
}
