//! Randomness in pools: one call to the platform costs more than all else that a small seal does besides signing.
//!
//! The pool holds the platform's own bytes, not those of a generator of ours: each is handed out once and erased,
//! so a later look into memory finds none that was used.

use std::cell::RefCell;

use agentpair_protocol::error::Bug;
use chacha20::ChaCha20Rng;
use rand_core::SeedableRng as _;
use zeroize::Zeroize as _;

use crate::error::{CodedError, coded};

const POOL_BYTES: usize = 4_096;
const SEED_BYTES: usize = 32;

struct Pool {
    bytes: [u8; POOL_BYTES],
    left: usize,
}

thread_local! {
    static POOL: RefCell<Pool> = const { RefCell::new(Pool { bytes: [0; POOL_BYTES], left: 0 }) };
}

/// A fresh seed.
pub(crate) fn seed() -> Result<[u8; SEED_BYTES], CodedError> {
    POOL.with_borrow_mut(|pool| {
        if pool.left < SEED_BYTES {
            getrandom::fill(&mut pool.bytes)
                .map_err(|_| coded(Bug::Invariant.code(), "bug", "no source of randomness"))?;
            pool.left = POOL_BYTES;
        }
        let (rest, used) = pool
            .bytes
            .split_at_mut(pool.left)
            .0
            .split_last_chunk_mut::<SEED_BYTES>()
            .map(|(rest, used)| (rest.len(), used))
            .ok_or_else(|| coded(Bug::Invariant.code(), "bug", "the pool is empty"))?;
        let seed = *used;
        used.zeroize();
        pool.left = rest;
        Ok(seed)
    })
}

/// A generator for one call.
pub(crate) fn rng() -> Result<ChaCha20Rng, CodedError> {
    seed().map(ChaCha20Rng::from_seed)
}
