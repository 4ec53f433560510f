//! Time as an argument: every decision is told what time it is.

/// A moment, in unix milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Now {
    /// Unix milliseconds.
    pub ms: u64,
}

impl Now {
    /// Whole unix seconds, rounded down.
    #[must_use]
    pub fn secs(self) -> u64 {
        self.ms / 1_000
    }

    /// The moment `ms` later.
    #[must_use]
    pub fn after(self, ms: u64) -> u64 {
        self.ms.saturating_add(ms)
    }

    /// Whether a deadline has passed. The deadline itself has.
    #[must_use]
    pub fn reached(self, deadline_ms: u64) -> bool {
        self.ms >= deadline_ms
    }
}
