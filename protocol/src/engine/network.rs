//! What is under way on the network. In memory only: after a restart it follows from the stored state again.

use std::collections::{BTreeMap, BTreeSet};

use rand_core::Rng as _;

use super::Engine;
use super::effect::Effect;
use super::feed::Event;
use super::links::Link;
use super::step::Step;
use crate::error::Bug;
use crate::limits::MINUTE_MS;

/// One purpose of a call. There is at most one call for each at a time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Task {
    /// Push the version of a bond's allowlist.
    Register(String, u64),
    /// Post the outbox row of that number.
    Post(String, u64),
    /// Ask for a challenge, then open the live stream.
    Listen(String),
    /// Pull the inbox.
    Pull(String),
    /// Trim the inbox.
    Trim(String),
    /// Publish an invite.
    Publish(String),
    /// Withdraw an invite.
    Unpublish(String),
    /// Claim an invite.
    Claim(String),
    /// Read the pairing slot.
    ReadSlot(String),
    /// Write the pairing slot.
    WriteSlot(String),
    /// Upload the artifact of that hash.
    Upload(String, String),
    /// Fetch the artifact that a parked envelope waits for.
    Fetch(String, String),
}

/// A call that is out.
#[derive(Debug)]
pub(super) struct Flight {
    pub(super) task: Task,
    /// Whether a challenge was already answered in it.
    pub(super) is_signed: bool,
    pub(super) relay: String,
}

/// When a task may be tried again.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Retry {
    failures: u32,
    pub(super) not_before: u64,
}

/// The network, seen from the engine.
#[derive(Debug, Default)]
pub(super) struct Network {
    pub(super) online: bool,
    counter: u64,
    pub(super) flights: BTreeMap<String, Flight>,
    pub(super) retries: BTreeMap<Task, Retry>,
    pub(super) links: BTreeMap<String, Link>,
    /// Bonds whose allowlist this process has pushed.
    pub(super) registered: BTreeSet<String>,
    /// The last trouble of each relay.
    pub(super) troubles: BTreeMap<String, String>,
    /// How often in a row each relay's clock was found to differ.
    pub(super) skewed: BTreeMap<String, u32>,
}

/// Clocks may differ by this much.
const SKEW_MS: u64 = 2 * MINUTE_MS;
/// The owner is told when a relay's clock was found to differ this often in a row.
const SKEWED_TIMES: u32 = 2;

const RETRY_FIRST_MS: u64 = 250;

impl Network {
    pub(super) fn name(&mut self, kind: char) -> String {
        self.counter += 1;
        format!("{kind}{}", self.counter)
    }

    pub(super) fn is_flying(&self, task: &Task) -> bool {
        self.flights.values().any(|flight| flight.task == *task)
    }

    /// Whether a task may start now.
    pub(super) fn may_start(&self, task: &Task, now: u64) -> bool {
        self.retries.get(task).is_none_or(|retry| retry.not_before <= now) && !self.is_flying(task)
    }

    /// A task failed: wait with full jitter, doubling up to `cap_ms`, and at least what the relay asked for.
    pub(super) fn back_off(&mut self, step: &mut Step, task: Task, cap_ms: u64, retry_after_s: Option<u32>) {
        let retry = self.retries.entry(task).or_default();
        let bound = (RETRY_FIRST_MS << retry.failures.min(16)).min(cap_ms).max(1);
        let jitter = RETRY_FIRST_MS / 2 + step.rng.next_u64() % bound;
        let asked = u64::from(retry_after_s.unwrap_or(0)).min(600) * 1_000;
        retry.failures += 1;
        retry.not_before = step.now + jitter.max(asked);
    }

    /// A task waits for a while without having failed.
    pub(super) fn pause(&mut self, task: Task, until: u64) {
        self.retries.insert(task, Retry { failures: 0, not_before: until });
    }

    /// A task succeeded.
    pub(super) fn done(&mut self, task: &Task) {
        self.retries.remove(task);
    }
}

impl Engine {
    pub(super) fn set_online(&mut self, step: &mut Step, online: bool) {
        if self.network.online == online {
            return;
        }
        for (_, link) in std::mem::take(&mut self.network.links) {
            if let Some(stream) = link.stream() {
                step.effect(Effect::CloseStream { stream: stream.to_owned() });
            }
        }
        let counter = self.network.counter;
        self.network = Network { online, counter, ..Network::default() };
    }

    /// Compares this machine's clock with that of a relay.
    pub(super) fn note_clock(&mut self, step: &mut Step, call: &str, date: Option<u64>) -> Result<(), Bug> {
        let (Some(date), Some(flight)) = (date, self.network.flights.get(call)) else {
            return Ok(());
        };
        let relay = flight.relay.clone();
        if date.abs_diff(step.now) <= SKEW_MS {
            self.network.skewed.remove(&relay);
            return Ok(());
        }
        let times = self.network.skewed.entry(relay.clone()).or_default();
        *times = times.saturating_add(1);
        if *times == SKEWED_TIMES {
            let seconds = i64::try_from(date / 1_000).unwrap_or(0) - i64::try_from(step.now / 1_000).unwrap_or(0);
            step.emit(&mut self.state, Event::ClockSkew { relay, seconds })?;
        }
        Ok(())
    }

    /// Tells the owner of a relay's trouble, once until it changes or ends.
    pub(super) fn note_trouble(&mut self, step: &mut Step, relay: &str, code: Option<&str>) -> Result<(), Bug> {
        match code {
            None => {
                self.network.troubles.remove(relay);
            }
            Some(code) => {
                let before = self.network.troubles.insert(relay.to_owned(), code.to_owned());
                if before.as_deref() != Some(code) {
                    let event = Event::RelayTrouble { relay: relay.to_owned(), code: code.to_owned() };
                    step.emit(&mut self.state, event)?;
                }
            }
        }
        Ok(())
    }
}
