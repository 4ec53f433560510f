//! Keys in memory: parsed and derived once for each bond.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Engine;
use super::state::HOST;
use crate::envelope::PairKey;
use crate::error::Bug;
use crate::identity::Keypair;
use crate::secret::Secret;

/// A bond's own key pair, and the key that it shares with the peer.
#[derive(Debug)]
pub(super) struct BondKeys {
    pub(super) own: Keypair,
    pub(super) pair: PairKey,
}

/// The cache.
#[derive(Debug, Default)]
pub(super) struct KeyCache(BTreeMap<String, Rc<BondKeys>>);

impl KeyCache {
    /// A stored record changed.
    pub(super) fn forget(&mut self, record_key: &str) {
        if let Some(bond) = record_key.strip_prefix("secret/").or_else(|| record_key.strip_prefix("bond/")) {
            self.0.remove(bond);
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl Engine {
    /// The keys of a bond. `None` once they are erased.
    pub(super) fn bond_keys(&mut self, bond: &str) -> Option<Rc<BondKeys>> {
        if let Some(keys) = self.keys.0.get(bond) {
            return Some(keys.clone());
        }
        let own = Keypair::from_secret(&self.state.seeds.get(bond)?.0);
        let pair = PairKey::derive(&own, &self.state.bonds.get(bond)?.peer).ok()?;
        let keys = Rc::new(BondKeys { own, pair });
        self.keys.0.insert(bond.to_owned(), keys.clone());
        Some(keys)
    }

    /// Erases the keys of a bond.
    pub(super) fn erase_keys(&mut self, bond: &str) {
        self.state.seeds.remove(bond);
        self.keys.0.remove(bond);
    }

    /// The root identity.
    pub(super) fn root(&self) -> Result<Keypair, Bug> {
        Ok(Keypair::from_secret(&self.state.seeds.get(HOST).ok_or(Bug::Invariant)?.0))
    }

    /// The key of approvals.
    pub(super) fn approval_key(&self) -> Result<Secret<32>, Bug> {
        Ok(self.root()?.approval_key())
    }
}
