//! One step: the clock, randomness of its own, and what it brings about.

use chacha20::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _};

use super::effect::{Effect, Log, LogEntry};
use super::feed::{Event, FeedItem};
use super::state::{HOST, State};
use crate::base64url;
use crate::error::Bug;

/// A step in progress.
pub(super) struct Step {
    /// Unix milliseconds.
    pub(super) now: u64,
    /// Expanded from the 32 bytes that the host gave for this step alone.
    pub(super) rng: ChaCha20Rng,
    pub(super) entries: Vec<LogEntry>,
    pub(super) effects: Vec<Effect>,
}

impl Step {
    pub(super) fn new(now: u64, entropy: [u8; 32]) -> Self {
        Self { now, rng: ChaCha20Rng::from_seed(entropy), entries: Vec::new(), effects: Vec::new() }
    }

    /// Unix seconds.
    pub(super) fn now_s(&self) -> u64 {
        self.now / 1_000
    }

    pub(super) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.rng.fill_bytes(&mut bytes);
        bytes
    }

    /// A random id of 22 characters.
    pub(super) fn id(&mut self) -> String {
        base64url::encode(&self.bytes::<16>())
    }

    /// A random UUID, version 4.
    pub(super) fn uuid(&mut self) -> String {
        let mut bytes = self.bytes::<16>();
        let [_, _, _, _, _, _, version, _, variant, ..] = &mut bytes;
        *version = (*version & 0x0f) | 0x40;
        *variant = (*variant & 0x3f) | 0x80;
        let hex = hex::encode(bytes);
        let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
        format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
    }

    pub(super) fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Appends to the feed, and says so.
    pub(super) fn emit(&mut self, state: &mut State, event: Event) -> Result<(), Bug> {
        let host = state.host.get_mut(HOST).ok_or(Bug::Invariant)?;
        host.feed += 1;
        let n = host.feed;
        let value = serde_json::to_string(&FeedItem { n, at: self.now, event }).map_err(|_| Bug::Serialise)?;
        self.entries.push(LogEntry { log: Log::Feed, n, value });
        self.effect(Effect::Emit { n });
        Ok(())
    }

    /// Appends to the audit log.
    pub(super) fn audit(
        &mut self,
        state: &mut State,
        act: &str,
        bond: Option<&str>,
        facts: &[(&str, &str)],
    ) -> Result<(), Bug> {
        let host = state.host.get_mut(HOST).ok_or(Bug::Invariant)?;
        let facts = facts.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let record = host.audit.append(self.now, act, bond, facts);
        let value = serde_json::to_string(&record).map_err(|_| Bug::Serialise)?;
        self.entries.push(LogEntry { log: Log::Audit, n: record.n, value });
        Ok(())
    }
}
