//! Counting what waits.

/// A number of envelopes and their bytes on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// How many.
    pub rows: u64,
    /// How large, together.
    pub bytes: u64,
}

impl Usage {
    /// With one more of this size.
    #[must_use]
    pub fn plus(self, size: u64) -> Self {
        Self { rows: self.rows.saturating_add(1), bytes: self.bytes.saturating_add(size) }
    }

    /// Whether this is within the given room.
    #[must_use]
    pub fn fits(self, rows: u64, bytes: u64) -> bool {
        self.rows <= rows && self.bytes <= bytes
    }
}
