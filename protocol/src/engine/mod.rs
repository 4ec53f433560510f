//! The engine: a host's whole protocol state, without a clock, randomness, storage or network of its own.
//!
//! [`Engine::handle`] takes the time, 32 fresh random bytes and one [`Input`]; [`Engine::poll`] then gives the
//! [`Effect`]s, to be carried out in order, where nothing after a `persist` may happen before it is durable. What is
//! on the network follows from the stored state alone: after a restart the same calls come again, byte for byte, and
//! what was answered before does not. An `Err` means that nothing has changed; one whose blame is `bug` says that this
//! engine is of no further use. If a `persist` fails, the engine is
//! ahead of the store: drop it and [`restore`](Engine::restore) another. Several processes may share one store: each
//! hands over what the others changed with [`Engine::apply`] before its own step, and only one of them is `online`.

mod acks;
mod approvers;
mod artifacts;
mod attention;
mod bonds;
mod budget;
mod calls;
mod commands;
mod dispatch;
mod effect;
mod feed;
mod gates;
mod input;
mod keys;
mod links;
mod network;
mod nonces;
mod opening;
mod outbox;
mod pairing;
mod ratifying;
mod receive;
mod registration;
mod reply;
mod restoring;
mod revocation;
mod sessions;
mod signing;
mod slot;
mod state;
mod step;
mod table;
mod timers;
mod turns;
pub mod view;
mod views;

pub use effect::{Effect, Log, LogEntry};
pub use feed::{Event, FeedItem};
pub use input::{Command, Input};
pub use reply::Reply;
pub use table::Record;

use std::collections::VecDeque;

use self::keys::KeyCache;
use self::network::Network;
use self::nonces::NonceIndex;
use self::state::{HOST, Host, Seed, State};
use self::step::Step;
use crate::error::{Bug, Failure};
use crate::message::HostKind;
use crate::secret::Secret;

/// See the [module](self).
#[derive(Debug, Default)]
pub struct Engine {
    state: State,
    keys: KeyCache,
    seen: NonceIndex,
    network: Network,
    queue: VecDeque<Effect>,
    swept_at: u64,
    /// The clock of the last step; nothing is known of it at the start.
    last_now: u64,
    /// What keeps the keys: peers are told.
    kind: HostKind,
}

impl Engine {
    /// The engine of a store. Without records it is a new host, whose identity is made in the first step.
    ///
    /// # Errors
    /// [`Bug::CorruptRecord`] for a record that is not ours or does not parse: refuse to start, and say so.
    pub fn restore(records: &[Record]) -> Result<Self, Bug> {
        let mut engine = Self { last_now: u64::MAX, ..Self::default() };
        engine.apply(records)?;
        if !records.is_empty() && (!engine.state.host.contains(HOST) || !engine.state.seeds.contains(HOST)) {
            return Err(Bug::CorruptRecord);
        }
        Ok(engine)
    }

    /// Says what keeps the keys, for the hellos to come; a process unless said otherwise.
    pub fn set_kind(&mut self, kind: HostKind) {
        self.kind = kind;
    }

    /// Takes over what another process stored.
    ///
    /// # Errors
    /// [`Bug::CorruptRecord`]: drop this engine and restore another.
    pub fn apply(&mut self, records: &[Record]) -> Result<(), Bug> {
        for record in records {
            self.state.load(record)?;
            self.keys.forget(&record.key);
            self.seen.forget(&record.key);
        }
        Ok(())
    }

    /// One step.
    ///
    /// # Errors
    /// [`Failure`]: nothing has changed, and there is no effect.
    pub fn handle(&mut self, now: u64, entropy: [u8; 32], input: Input) -> Result<Reply, Failure> {
        let mut step = Step::new(now, entropy);
        let result = self.run(&mut step, input);
        match result {
            Ok((reply, records)) => {
                if !records.is_empty() || !step.entries.is_empty() {
                    self.queue.push_back(Effect::Persist { records, entries: step.entries });
                }
                self.queue.extend(step.effects);
                Ok(reply)
            }
            Err(failure) => {
                self.state.undo();
                self.last_now = u64::MAX;
                self.keys.clear();
                self.seen.clear();
                Err(failure)
            }
        }
    }

    /// The next effect.
    pub fn poll(&mut self) -> Option<Effect> {
        self.queue.pop_front()
    }

    fn run(&mut self, step: &mut Step, input: Input) -> Result<(Reply, Vec<Record>), Failure> {
        self.ensure_root(step);
        let mut reply = Reply::default();
        match input {
            Input::Tick => {}
            Input::Network { online } => self.set_online(step, online),
            Input::Command { command } => reply = self.command(step, command)?,
            Input::Answer { call, status, retry_after, date, body, bytes } => {
                self.note_clock(step, &call, date)?;
                self.on_answer(step, &call, &calls::Answer { status, retry_after, body, bytes })?;
            }
            Input::NoAnswer { call, reason } => self.on_no_answer(step, &call, &reason)?,
            Input::StreamOpened { stream } => self.on_stream_opened(&stream),
            Input::StreamFrame { stream, text } => self.on_stream_frame(step, &stream, &text)?,
            Input::StreamClosed { stream } => self.on_stream_closed(step, &stream),
        }
        self.run_timers(step)?;
        self.pump(step)?;
        self.set_wake(step);
        Ok((reply, self.state.commit()?))
    }

    fn ensure_root(&mut self, step: &mut Step) {
        if !self.state.host.contains(HOST) {
            self.state.host.put(HOST, Host::default());
            self.state.seeds.put(HOST, Seed(Secret::new(step.bytes())));
        }
    }
}
