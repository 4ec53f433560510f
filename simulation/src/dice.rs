//! Everything that is left to chance, from one seed. Each purpose has a stream of its own, so that taking the faults of
//! one kind away leaves the draws of all others as they were.

use chacha20::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _};

/// One stream of draws.
#[derive(Debug)]
pub struct Dice(ChaCha20Rng);

impl Dice {
    /// The stream of a purpose.
    #[must_use]
    pub fn new(seed: u64, purpose: &str) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        for (at, byte) in purpose.bytes().take(24).enumerate() {
            key[8 + at] = byte;
        }
        Self(ChaCha20Rng::from_seed(key))
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.next_u64() % bound.max(1)
    }

    /// A number between the two, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True in so many of a thousand draws.
    pub fn permille(&mut self, chance: u64) -> bool {
        self.below(1_000) < chance
    }

    /// One of them.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() {
            return None;
        }
        let at = self.below(items.len() as u64);
        items.get(usize::try_from(at).unwrap_or(0))
    }

    /// Random bytes for one step of an engine.
    pub fn bytes(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        self.0.fill_bytes(&mut bytes);
        bytes
    }

    /// Spans of very different length, most of them short: up to `most` milliseconds.
    pub fn span(&mut self, most: u64) -> u64 {
        let bits = u64::from(64 - most.max(1).leading_zeros());
        let width = self.below(bits + 1);
        self.below(1 << width.min(62)).min(most)
    }
}
