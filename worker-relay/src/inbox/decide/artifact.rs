//! Has this owner room for one more artifact?

use crate::limits::Limits;
use crate::problem::Problem;

/// What an owner holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// The owner ever pushed an allowlist.
    pub registered: bool,
    /// The artifact is held or on its way already: putting it again costs nothing and renews it.
    pub held: bool,
    /// Bytes held, and reserved for uploads under way.
    pub used: u64,
}

/// Decides whether `size` bytes may be reserved.
///
/// # Errors
/// `agent_not_registered`, `quota_exceeded`.
pub fn decide(view: &View, size: u64, limits: &Limits) -> Result<(), Problem> {
    if !view.registered {
        return Err(Problem::AGENT_NOT_REGISTERED);
    }
    if view.held || view.used.saturating_add(size) <= limits.artifact_quota_bytes {
        Ok(())
    } else {
        Err(Problem::QUOTA_EXCEEDED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_to_the_quota_and_again_for_what_is_held() {
        let limits = Limits::default();
        let view = View { registered: true, held: false, used: limits.artifact_quota_bytes - 100 };
        for (size, expected) in [(99, Ok(())), (100, Ok(())), (101, Err(Problem::QUOTA_EXCEEDED))] {
            assert_eq!(decide(&view, size, &limits), expected);
        }
        assert_eq!(decide(&View { held: true, ..view }, 101, &limits), Ok(()));
        let stranger = View { registered: false, held: true, used: 0 };
        assert_eq!(decide(&stranger, 1, &limits), Err(Problem::AGENT_NOT_REGISTERED));
    }
}
