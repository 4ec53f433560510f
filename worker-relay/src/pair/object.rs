//! The Durable Object of a pairing session.

use std::time::Duration;

use futures_util::future::{Either, select};
use worker::{
    Delay, DurableObject, Env, Error, Request, Response, Result, State, WebSocket, WebSocketIncomingMessage,
    durable_object,
};

use super::call::Call;
use super::decide::{Look, Phase, Slot, look, phase, post};
use super::waiters::{Waiters, Wake};
use crate::answer::Answer;
use crate::edge::{Config, Failure, alarm_time, from_object, now};
use crate::frame;
use crate::hash::etag;
use crate::limits::Limits;
use crate::problem::Problem;
use crate::sql::{Db, bytes, number};

const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS slot (only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  etag TEXT NOT NULL, expires_at INTEGER NOT NULL, message BLOB NOT NULL) STRICT";

/// The slot of one pairing.
#[durable_object]
pub struct PairSession {
    state: State,
    limits: Limits,
    waiters: Waiters,
}

impl DurableObject for PairSession {
    fn new(state: State, env: Env) -> Self {
        let limits = Config::of(&env).map(|config| config.limits.clone()).unwrap_or_default();
        Self { state, limits, waiters: Waiters::default() }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        let body = request.bytes().await?;
        from_object(self.answer(&body).await)
    }

    /// At the session's end: wakes who waits and erases the message. After the tombstone: erases all.
    async fn alarm(&self) -> Result<Response> {
        let now = now();
        match self.slot()? {
            Some(slot) if !now.reached(slot.expires_at) => self.arm(slot.expires_at).await?,
            Some(slot) if phase(Some(&slot), now, &self.limits) == Phase::Lost => {
                self.db().run("UPDATE slot SET message = x''", vec![])?;
                self.waiters.wake();
                self.arm(slot.expires_at.saturating_add(self.limits.tombstone_ms)).await?;
            }
            Some(_) => self.state.storage().delete_all().await?,
            None => {}
        }
        Response::empty()
    }

    async fn websocket_message(&self, socket: WebSocket, _message: WebSocketIncomingMessage) -> Result<()> {
        socket.close::<&str>(None, None)
    }

    async fn websocket_close(&self, _socket: WebSocket, _code: usize, _reason: String, _clean: bool) -> Result<()> {
        Ok(())
    }

    async fn websocket_error(&self, _socket: WebSocket, _error: Error) -> Result<()> {
        Ok(())
    }

    async fn connect(&self, _socket: worker::Socket) -> Result<()> {
        Err(Error::from("a pairing session takes no TCP connections"))
    }
}

impl PairSession {
    async fn answer(&self, body: &[u8]) -> Result<Answer, Failure> {
        let (call, message) = frame::split(body)?;
        match call {
            Call::Post { condition } => self.put(condition.as_deref(), message).await,
            Call::Open => self.open(message).await,
            Call::Get { wait_ms, not } => self.get(wait_ms, not.as_deref()).await,
        }
    }

    async fn put(&self, condition: Option<&str>, message: &[u8]) -> Result<Answer, Failure> {
        let now = now();
        let slot = self.slot()?;
        let put = post(phase(slot.as_ref(), now, &self.limits), condition, message.len() as u64, now, &self.limits)?;
        let tag = etag(message);
        let db = self.db();
        db.run(SCHEMA, vec![])?;
        db.run(
            "INSERT OR REPLACE INTO slot (only_row, etag, expires_at, message) VALUES (1, ?, ?, ?)",
            vec![tag.as_str().into(), number(put.expires_at), bytes(message)],
        )?;
        self.waiters.wake();
        if put.begins {
            self.arm(put.expires_at).await?;
        }
        Ok(Answer::no_content().with_etag(&tag))
    }

    /// Begins the session of a claimed invite. Asked again, after a lost answer, it changes nothing.
    async fn open(&self, message: &[u8]) -> Result<Answer, Failure> {
        match phase(self.slot()?.as_ref(), now(), &self.limits) {
            Phase::Absent => self.put(None, message).await,
            Phase::Open(_) | Phase::Lost => Ok(Answer::no_content()),
        }
    }

    async fn get(&self, wait_ms: u64, not: Option<&str>) -> Result<Answer, Failure> {
        let deadline = now().after(wait_ms);
        let mut displaced = false;
        loop {
            let now = now();
            let slot = self.slot()?;
            let found = look(phase(slot.as_ref(), now, &self.limits), not)?;
            let left = deadline.saturating_sub(now.ms);
            match (found, slot) {
                (Look::Message, Some(slot)) => return self.message(&slot),
                (Look::Unchanged, Some(slot)) if left == 0 || displaced => return Ok(Answer::not_modified(&slot.etag)),
                (_, None) | (Look::Absent, _) if left == 0 || displaced => return Err(Problem::PAIR_NOT_FOUND.into()),
                (_, slot) => {
                    // Joined without an await since the look, so that no change in between is missed.
                    let wake = self.waiters.join(self.limits.pair_waiters);
                    let end = slot.map_or(u64::MAX, |slot| slot.expires_at.saturating_sub(now.ms)).max(1);
                    let timer = Delay::from(Duration::from_millis(left.min(end)));
                    displaced = matches!(select(wake, timer).await, Either::Left((Ok(Wake::Displaced), _)));
                }
            }
        }
    }

    fn message(&self, slot: &Slot) -> Result<Answer, Failure> {
        let row = self.db().first("SELECT message FROM slot", vec![])?.ok_or(Problem::PAIR_NOT_FOUND)?;
        Ok(Answer::json_text(200, row.bytes(0)?.to_vec()).with_etag(&slot.etag))
    }

    fn slot(&self) -> Result<Option<Slot>> {
        let db = self.db();
        if !db.has_table("slot")? {
            return Ok(None);
        }
        let row = db.first("SELECT etag, expires_at FROM slot", vec![])?;
        row.map(|row| Ok(Slot { etag: row.text(0)?.to_owned(), expires_at: row.number(1)? })).transpose()
    }

    fn db(&self) -> Db {
        Db::of(&self.state)
    }

    async fn arm(&self, at: u64) -> Result<()> {
        self.state.storage().set_alarm(alarm_time(at)).await
    }
}
