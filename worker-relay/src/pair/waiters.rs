//! Requests that wait for a slot to change. They live in memory only: a waiter that is lost asks again.

use std::cell::RefCell;
use std::collections::VecDeque;

use futures_channel::oneshot::{Receiver, Sender, channel};

/// Why a waiter is woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wake {
    /// The slot changed, or the session ended: look again.
    Changed,
    /// Too many wait; answer as if the time were up.
    Displaced,
}

/// The waiters of one session, oldest first.
#[derive(Default)]
pub(super) struct Waiters(RefCell<VecDeque<Sender<Wake>>>);

impl Waiters {
    /// Adds a waiter. At most `most` wait; the oldest makes room.
    pub(super) fn join(&self, most: u64) -> Receiver<Wake> {
        let (sender, receiver) = channel();
        let mut waiters = self.0.borrow_mut();
        // Those whose time was up have gone, and count no more.
        waiters.retain(|waiter| !waiter.is_canceled());
        waiters.push_back(sender);
        while waiters.len() as u64 > most {
            if let Some(oldest) = waiters.pop_front() {
                // It fails only if the waiter has just gone.
                let _ = oldest.send(Wake::Displaced);
            }
        }
        receiver
    }

    /// Wakes all.
    pub(super) fn wake(&self) {
        for waiter in self.0.take() {
            let _ = waiter.send(Wake::Changed);
        }
    }
}
