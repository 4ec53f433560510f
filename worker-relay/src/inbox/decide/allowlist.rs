//! May this allowlist replace the one in force?

use std::collections::BTreeSet;

use crate::problem::Problem;

/// The allowlist in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Its version, if a version was ever seen here.
    pub version: Option<u64>,
    /// SHA-256 of its signed bytes.
    pub digest: [u8; 32],
}

/// The allowlist that was pushed, verified before the inbox was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Push {
    /// Its version.
    pub version: Option<u64>,
    /// SHA-256 of its signed bytes.
    pub digest: [u8; 32],
    /// The relay is open, or the request carries its registration token.
    pub may_register: bool,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The first one: the inbox comes to be.
    Register,
    /// It replaces the one in force.
    Replace,
    /// It is the one in force; nothing is written.
    Unchanged,
}

/// Decides. Once a version was seen, only a higher one replaces it: an old list cannot be replayed to undo a revocation.
///
/// # Errors
/// `registration_closed`, `allowlist_stale`.
pub fn decide(held: Option<&Held>, push: &Push) -> Result<Outcome, Problem> {
    let Some(held) = held else {
        return if push.may_register { Ok(Outcome::Register) } else { Err(Problem::REGISTRATION_CLOSED) };
    };
    if held.digest == push.digest {
        return Ok(Outcome::Unchanged);
    }
    match (held.version, push.version) {
        (None, _) => Ok(Outcome::Replace),
        (Some(last), Some(next)) if next > last => Ok(Outcome::Replace),
        (Some(_), _) => Err(Problem::ALLOWLIST_STALE),
    }
}

/// What changes between two lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes<'a> {
    /// In the new list only.
    pub added: Vec<&'a str>,
    /// In the old list only: what these senders left is deleted with them.
    pub removed: Vec<&'a str>,
}

/// Compares two lists, so that a push writes only what it changes.
#[must_use]
pub fn changes<'a>(old: &'a [String], new: &'a [String]) -> Changes<'a> {
    let set = |list: &'a [String]| list.iter().map(String::as_str).collect::<BTreeSet<&str>>();
    let (old, new) = (set(old), set(new));
    Changes { added: new.difference(&old).copied().collect(), removed: old.difference(&new).copied().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(version: Option<u64>, digest: u8) -> Push {
        Push { version, digest: [digest; 32], may_register: true }
    }

    fn held(version: Option<u64>) -> Held {
        Held { version, digest: [0; 32] }
    }

    #[test]
    fn a_closed_relay_takes_no_new_agent_but_serves_the_old_ones() {
        let stranger = Push { may_register: false, ..push(None, 1) };
        assert_eq!(decide(None, &stranger), Err(Problem::REGISTRATION_CLOSED));
        assert_eq!(decide(None, &push(None, 1)), Ok(Outcome::Register));
        assert_eq!(decide(Some(&held(None)), &stranger), Ok(Outcome::Replace));
    }

    #[test]
    fn once_a_version_was_seen_only_a_higher_one_replaces() {
        let stale = Err(Problem::ALLOWLIST_STALE);
        for (last, next, expected) in [
            (None, None, Ok(Outcome::Replace)),
            (None, Some(0), Ok(Outcome::Replace)),
            (Some(5), None, stale),
            (Some(5), Some(4), stale),
            (Some(5), Some(5), stale),
            (Some(5), Some(6), Ok(Outcome::Replace)),
        ] {
            assert_eq!(decide(Some(&held(last)), &push(next, 1)), expected, "{last:?} {next:?}");
        }
    }

    #[test]
    fn the_very_list_in_force_changes_nothing() {
        for version in [None, Some(5)] {
            assert_eq!(decide(Some(&held(version)), &push(version, 0)), Ok(Outcome::Unchanged));
        }
    }

    #[test]
    fn changes_are_the_two_differences() {
        let list = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (old, new) = (list("a b c"), list("c d a"));
        assert_eq!(changes(&old, &new), Changes { added: vec!["d"], removed: vec!["b"] });
    }
}
