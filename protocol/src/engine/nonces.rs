//! Nonces seen on a bond, in either direction: what carries one of them again is a replay.

use std::collections::{BTreeMap, HashSet};

use super::Engine;
use super::state::SeenNonce;
use crate::base64url;
use crate::envelope::NONCE_BYTES;
use crate::limits::NONCES_PER_BOND;

/// An index over the stored nonces, built when it is first needed.
#[derive(Debug, Default)]
pub(super) struct NonceIndex(BTreeMap<String, HashSet<String>>);

impl NonceIndex {
    /// A stored record changed.
    pub(super) fn forget(&mut self, record_key: &str) {
        if let Some((bond, _)) = record_key.strip_prefix("nonce/").and_then(|rest| rest.split_once('/')) {
            self.0.remove(bond);
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl Engine {
    fn nonces_of(&mut self, bond: &str) -> &mut HashSet<String> {
        self.seen.0.entry(bond.to_owned()).or_insert_with(|| {
            self.state.nonces.under(&format!("{bond}/")).map(|(_, seen)| seen.nonce.clone()).collect()
        })
    }

    /// Whether a nonce was used on this bond before.
    pub(super) fn is_seen(&mut self, bond: &str, nonce: &[u8; NONCE_BYTES]) -> bool {
        self.nonces_of(bond).contains(&base64url::encode(nonce))
    }

    /// Remembers a nonce; the oldest makes room for it, and nothing that the peer sealed before that one is believed any
    /// more: it posts in the order of sealing.
    pub(super) fn remember_nonce(&mut self, bond: &str, nonce: &[u8; NONCE_BYTES], ts: u64) {
        let mut inbox = self.state.inboxes.get(bond).cloned().unwrap_or_default();
        let key = format!("{bond}/{:04}", inbox.next_nonce % u64::from(NONCES_PER_BOND));
        if let Some(evicted) = self.state.nonces.get(&key).cloned() {
            inbox.low_ts = inbox.low_ts.max(evicted.ts);
            self.nonces_of(bond).remove(&evicted.nonce);
        }
        inbox.next_nonce += 1;
        self.state.inboxes.put(bond, inbox);
        let nonce = base64url::encode(nonce);
        self.nonces_of(bond).insert(nonce.clone());
        self.state.nonces.put(key, SeenNonce { nonce, ts });
    }
}
