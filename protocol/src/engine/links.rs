//! Links: how each inbox is read. A live stream where the relay has one, polling where not.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Engine;
use super::calls::{Answer, Outcome, Request, signed_query};
use super::effect::Effect;
use super::network::Task;
use super::step::Step;
use crate::challenge::Purpose;
use crate::error::Failure;
use crate::json::FlatObject;
use crate::limits::{MINUTE_MS, SECOND_MS};

/// Streams open at once; further bonds are polled.
const STREAMS: usize = 64;
/// Failures of a stream in a row before polling takes over for a while.
const STREAM_FAILURES: u32 = 2;
const POLL_INSTEAD_MS: u64 = MINUTE_MS;
const POLL_FIRST_MS: u64 = SECOND_MS;
const POLL_LAST_MS: u64 = 15 * SECOND_MS;
/// Rows are acknowledged in groups: each acknowledgement is a write at the relay.
const ACK_ROWS: u32 = 32;
const ACK_DELAY_MS: u64 = 100;

/// How one inbox is read.
#[derive(Debug, Default)]
pub(super) struct Link {
    stream: Option<String>,
    is_open: bool,
    failures: u32,
    /// Polling until this instant.
    poll_until: u64,
    poll_pause: u64,
    /// Whether the inbox was read from its start within the last ten minutes.
    has_read: bool,
    /// Whether the relay has begun to tell what waits there, or could not be asked.
    was_tried: bool,
    /// Rows processed and not acknowledged yet.
    unacked: u32,
    ack_at: u64,
}

impl Link {
    pub(super) fn stream(&self) -> Option<&str> {
        self.stream.as_deref()
    }

    fn is_polling(&self, now: u64) -> bool {
        self.poll_until > now
    }

    /// The clock was set back.
    pub(super) fn clock_set_back(&mut self, now: u64) {
        self.ack_at = self.ack_at.min(now);
        if self.poll_until != u64::MAX {
            self.poll_until = self.poll_until.min(now + POLL_INSTEAD_MS);
        }
    }

    /// When the link wants to act by itself.
    pub(super) fn wake(&self) -> Option<u64> {
        (self.unacked > 0).then_some(self.ack_at)
    }
}

/// A page of an inbox.
#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    envelopes: Vec<&'a RawValue>,
    rowids: Vec<u64>,
    #[serde(default)]
    more: bool,
    #[serde(default)]
    epoch: Option<String>,
}

/// A frame of a live stream.
#[derive(Deserialize)]
struct Frame<'a> {
    rowid: u64,
    #[serde(borrow)]
    envelope: &'a RawValue,
}

impl Engine {
    /// Opens and closes links as bonds come and go, and sends the acknowledgements that are due.
    pub(super) fn tend_links(&mut self, step: &mut Step) {
        let gone: Vec<String> = self.network.links.keys().filter(|id| !self.is_read(id)).cloned().collect();
        for id in gone {
            if let Some(stream) = self.network.links.remove(&id).and_then(|link| link.stream) {
                step.effect(Effect::CloseStream { stream });
            }
        }
        let new: Vec<String> = self
            .state
            .bonds
            .iter()
            .map(|(id, _)| id.clone())
            .filter(|id| self.is_read(id) && !self.network.links.contains_key(id))
            .collect();
        for id in new {
            let poll_until = if self.network.links.len() >= STREAMS { u64::MAX } else { 0 };
            self.network.links.insert(id, Link { poll_until, ..Link::default() });
        }
        for (id, link) in &mut self.network.links {
            let cursor = self.state.inboxes.get(id).map_or(0, |inbox| inbox.cursor);
            if let (Some(stream), true) = (&link.stream, link.is_open)
                && link.unacked > 0
                && (link.unacked >= ACK_ROWS || link.ack_at <= step.now)
            {
                step.effect(Effect::StreamSend { stream: stream.clone(), text: format!("{{\"ack\":{cursor}}}") });
                link.unacked = 0;
            }
        }
    }

    /// Whether a bond has an inbox that is to be read.
    fn is_read(&self, id: &str) -> bool {
        let bond = self.state.bonds.get(id);
        bond.is_some_and(|b| !b.is_over() && b.registration.pushed_at > 0) && self.state.seeds.contains(id)
    }

    pub(super) fn wanted_links(&self) -> Vec<Task> {
        let mut wanted = Vec::new();
        for (id, link) in &self.network.links {
            if link.poll_until == 0 && link.stream.is_none() {
                wanted.push(Task::Listen(id.clone()));
            } else if link.poll_until > 0 {
                wanted.push(Task::Pull(id.clone()));
                if link.unacked > 0 {
                    wanted.push(Task::Trim(id.clone()));
                }
            }
        }
        wanted
    }

    /// The row after which to read. Streams, and the first poll of a while, begin at the start: what was processed is
    /// trimmed, so little comes back, and neither a relay that lost its rows nor one that lied about a number is
    /// believed for long.
    fn since(&self, task: &Task, bond: &str) -> u64 {
        let has_read = self.network.links.get(bond).is_some_and(|link| link.has_read);
        match task {
            Task::Pull(_) if has_read => self.state.inboxes.get(bond).map_or(0, |inbox| inbox.cursor),
            _ => 0,
        }
    }

    /// The request of a link's task, with the query of an answered challenge, or without.
    pub(super) fn link_request(&self, task: &Task, id: &str, signed: &str) -> Option<Request> {
        let bond = self.state.bonds.get(id)?;
        let inbox = format!("/inbox/{}", bond.own);
        let cursor = self.state.inboxes.get(id).map_or(0, |inbox| inbox.cursor);
        let and = if signed.is_empty() { "" } else { "&" };
        Some(match task {
            Task::Listen(_) => Request::new(&bond.relay, "GET", format!("{inbox}/live")),
            Task::Pull(_) => {
                Request::new(&bond.relay, "GET", format!("{inbox}?since={}{and}{signed}", self.since(task, id)))
            }
            _ => Request::new(&bond.relay, "DELETE", format!("{inbox}?through={cursor}{and}{signed}")),
        })
    }

    pub(super) fn on_link_answer(
        &mut self,
        step: &mut Step,
        task: &Task,
        id: &str,
        answer: &Answer,
        is_signed: bool,
    ) -> Result<Outcome, Failure> {
        let (Some(keys), Some(bond)) = (self.bond_keys(id), self.state.bonds.get(id)) else {
            return Ok(Outcome::Done);
        };
        let relay = bond.relay.clone();
        if answer.status == 401 && !is_signed {
            let purpose = match task {
                Task::Listen(_) => Purpose::Live,
                Task::Pull(_) => Purpose::Pull,
                _ => Purpose::Trim,
            };
            let Some(signed) = signed_query(answer, &relay, purpose, &keys.own) else {
                return Ok(Outcome::Failed("bad_challenge".to_owned()));
            };
            if matches!(task, Task::Listen(_)) {
                let path = format!("/inbox/{}/live?since={}&{signed}", keys.own.agent_id(), self.since(task, id));
                let stream = self.network.name('s');
                if let Some(link) = self.network.links.get_mut(id) {
                    link.stream = Some(stream.clone());
                }
                step.effect(Effect::OpenStream { stream, relay, path });
                return Ok(Outcome::Done);
            }
            let Some(request) = self.link_request(task, id, &signed) else {
                return Ok(Outcome::Done);
            };
            self.start(step, task.clone(), request, true);
            return Ok(Outcome::Continued);
        }
        match (task, answer.status) {
            (Task::Pull(_), 200) => self.on_page(step, id, &answer.body),
            (Task::Trim(_), 200 | 204) => {
                if let Some(link) = self.network.links.get_mut(id) {
                    link.unacked = 0;
                }
                Ok(Outcome::Done)
            }
            // A relay of the draft has neither streams nor trimming: poll, and leave the rows to their expiry.
            (Task::Listen(_), 400..=499) => {
                self.poll_instead(id, u64::MAX);
                Ok(Outcome::Done)
            }
            (Task::Trim(_), 404 | 405) => Ok(Outcome::Paused(u64::MAX)),
            _ => Ok(Outcome::Failed(answer.code())),
        }
    }

    fn poll_instead(&mut self, id: &str, until: u64) {
        if let Some(link) = self.network.links.get_mut(id) {
            link.stream = None;
            link.is_open = false;
            link.poll_until = until;
            link.poll_pause = POLL_FIRST_MS;
        }
    }

    fn on_page(&mut self, step: &mut Step, id: &str, body: &str) -> Result<Outcome, Failure> {
        let Ok(page) = serde_json::from_str::<Page<'_>>(body) else {
            return Ok(Outcome::Failed("nonsense".to_owned()));
        };
        if page.envelopes.len() != page.rowids.len() {
            return Ok(Outcome::Failed("nonsense".to_owned()));
        }
        match &page.epoch {
            Some(epoch) => self.note_epoch(id, epoch),
            // It knew this inbox once, and does not any more.
            None if self.state.inboxes.get(id).is_some_and(|inbox| inbox.epoch.is_some()) => {
                self.network.registered.remove(id);
            }
            None => {}
        }
        let mut is_news = false;
        for (rowid, envelope) in page.rowids.iter().zip(&page.envelopes) {
            is_news |= self.on_row(step, id, *rowid, envelope.get())?;
        }
        let Some(link) = self.network.links.get_mut(id) else {
            return Ok(Outcome::Done);
        };
        link.has_read = true;
        link.was_tried = true;
        link.poll_pause =
            if is_news { POLL_FIRST_MS } else { (link.poll_pause * 2).clamp(POLL_FIRST_MS, POLL_LAST_MS) };
        if link.poll_until != u64::MAX && !link.is_polling(step.now) {
            // Time to try a stream again.
            link.poll_until = 0;
            return Ok(Outcome::Done);
        }
        let pause = if page.more && is_news { 0 } else { link.poll_pause };
        Ok(Outcome::Paused(step.now + pause))
    }

    /// Another epoch means that the relay lost its rows and counts from one again.
    fn note_epoch(&mut self, id: &str, epoch: &str) {
        let mut inbox = self.state.inboxes.get(id).cloned().unwrap_or_default();
        if epoch.len() > 64 || inbox.epoch.as_deref() == Some(epoch) {
            return;
        }
        if inbox.epoch.is_some() {
            inbox.cursor = 0;
            // Who knows which allowlist it has.
            self.network.registered.remove(id);
        }
        inbox.epoch = Some(epoch.to_owned());
        self.state.inboxes.put(id, inbox);
    }

    /// Processes one row and moves the cursor to it. Whether it was news. What comes twice is known by its nonce, never
    /// by its row: a relay chooses the numbers.
    fn on_row(&mut self, step: &mut Step, id: &str, rowid: u64, wire: &str) -> Result<bool, Failure> {
        let is_news = self.receive(step, id, wire)?;
        let mut inbox = self.state.inboxes.get(id).cloned().unwrap_or_default();
        if inbox.cursor != rowid {
            inbox.cursor = rowid;
            self.state.inboxes.put(id, inbox);
        }
        if let Some(link) = self.network.links.get_mut(id) {
            if link.unacked == 0 {
                link.ack_at = step.now + ACK_DELAY_MS;
            }
            link.unacked += 1;
        }
        Ok(is_news)
    }

    /// Lets the next poll begin at the start again.
    pub(super) fn reread(&mut self) {
        self.network.links.values_mut().for_each(|link| link.has_read = false);
    }

    pub(super) fn on_stream_opened(&mut self, stream: &str) {
        if let Some((_, link)) = self.link_of(stream) {
            link.is_open = true;
            link.failures = 0;
        }
    }

    pub(super) fn on_stream_frame(&mut self, step: &mut Step, stream: &str, text: &str) -> Result<(), Failure> {
        let Some((id, _)) = self.link_of(stream) else {
            return Ok(());
        };
        if let Ok(frame) = serde_json::from_str::<Frame<'_>>(text) {
            self.on_row(step, &id, frame.rowid, frame.envelope.get())?;
        } else if let Ok(object) = FlatObject::parse(text.as_bytes())
            && let Some(epoch) = object.text("epoch")
        {
            self.note_epoch(&id, epoch);
            self.was_tried(&id);
        }
        Ok(())
    }

    pub(super) fn on_stream_closed(&mut self, step: &mut Step, stream: &str) {
        let Some((id, link)) = self.link_of(stream) else {
            return;
        };
        link.stream = None;
        link.unacked = 0;
        if std::mem::take(&mut link.is_open) {
            link.failures = 0;
        }
        let task = Task::Listen(id);
        self.link_failed(&task, step.now);
        self.network.back_off(step, task, 5 * SECOND_MS, None);
    }

    fn was_tried(&mut self, id: &str) {
        if let Some(link) = self.network.links.get_mut(id) {
            link.was_tried = true;
        }
    }

    /// Whether each inbox is being read: what waited at the relays is here, or comes right now. So it is too where a relay
    /// cannot be reached, and where another process of this store has the network. It is of this process, and not stored.
    #[must_use]
    pub fn is_listening(&self) -> bool {
        let is_tried = |id: &str| self.network.links.get(id).is_some_and(|link| link.was_tried);
        !self.network.online || self.state.bonds.iter().all(|(id, _)| !self.is_read(id) || is_tried(id))
    }

    /// An inbox could not be read. After some streams in a row that did not come to be, or ended, polling takes over for a
    /// while.
    pub(super) fn link_failed(&mut self, task: &Task, now: u64) {
        let (Task::Listen(id) | Task::Pull(id)) = task else {
            return;
        };
        let Some(link) = self.network.links.get_mut(id) else {
            return;
        };
        link.was_tried = true;
        if matches!(task, Task::Pull(_)) {
            return;
        }
        link.failures += 1;
        if link.failures > STREAM_FAILURES {
            link.failures = 0;
            self.poll_instead(id, now + POLL_INSTEAD_MS);
        }
    }

    fn link_of(&mut self, stream: &str) -> Option<(String, &mut Link)> {
        let found = self.network.links.iter_mut().find(|(_, link)| link.stream.as_deref() == Some(stream));
        found.map(|(id, link)| (id.clone(), link))
    }
}
