//! The Durable Object of an inbox: loads the view, decides, writes in one block.

use std::cell::Cell;

use worker::{
    DurableObject, Env, Error, Request, Response, Result, State, WebSocket, WebSocketIncomingMessage, durable_object,
    worker_sys::WebSocketRequestResponsePair,
};

use super::call::{Call, Live};
use super::sockets;
use super::store::Store;
use super::sweep;
use crate::answer::Answer;
use crate::edge::{Config, Failure, LIVE_HEADER, alarm_time, from_object, now};
use crate::frame;
use crate::limits::Limits;
use crate::problem::Problem;
use crate::sql::Db;

/// The queue of one agent.
#[durable_object]
pub struct Inbox {
    pub(super) state: State,
    pub(super) env: Env,
    pub(super) limits: Limits,
    /// What the alarm is set to, once it was asked for. Only a cache: the truth is with the alarm.
    armed: Cell<Option<Option<u64>>>,
    /// Tells apart live sockets that are opened in one millisecond.
    pub(super) serial: Cell<u32>,
}

impl DurableObject for Inbox {
    fn new(state: State, env: Env) -> Self {
        if let Ok(pair) = WebSocketRequestResponsePair::new("ping", "pong") {
            // Answered by the platform, without waking the object.
            state.set_websocket_auto_response(&pair);
        }
        // With wrong variables the Worker answers no request at all, so the defaults here are never used.
        let limits = Config::of(&env).map(|config| config.limits.clone()).unwrap_or_default();
        Self { state, env, limits, armed: Cell::new(None), serial: Cell::new(0) }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        if let Some(live) = request.headers().get(LIVE_HEADER)? {
            let live: Live = serde_json::from_str(&live)?;
            return match self.open_live(&live) {
                Ok(response) => Ok(response),
                Err(failure) => from_object(Err(failure)),
            };
        }
        let body = request.bytes().await?;
        from_object(self.answer(&body).await)
    }

    async fn alarm(&self) -> Result<Response> {
        self.armed.set(Some(None));
        if let Some(store) = self.store()? {
            let now = now();
            sweep::rows(&store, now)?;
            sweep::uploads(&store, &self.env, now).await?;
            sweep::artifacts(&store, &self.env, now).await?;
            if let Some(next) = sweep::next(&store)? {
                self.arm(next).await?;
            }
        }
        Response::empty()
    }

    async fn websocket_message(&self, socket: WebSocket, message: WebSocketIncomingMessage) -> Result<()> {
        let acknowledged = match (sockets::attached(&socket)?, message) {
            (Some(before), WebSocketIncomingMessage::String(frame)) => {
                before.acknowledged(&frame).ok().map(|after| (before, after))
            }
            _ => None,
        };
        let (Some((before, state)), Some(store)) = (acknowledged, self.store()?) else {
            sockets::refuse_frame(&socket);
            return Ok(());
        };
        if state.acked > before.acked {
            store.trim(state.acked, self.limits.trimmed_rows)?;
        }
        sockets::attach(&socket, &state)?;
        sockets::pump(&socket, &store, now(), &self.limits)
    }

    async fn websocket_close(&self, socket: WebSocket, _code: usize, _reason: String, _was_clean: bool) -> Result<()> {
        // Completes the closing handshake where the runtime has not; nothing else depends on it.
        let _ = socket.close::<&str>(None, None);
        Ok(())
    }

    async fn websocket_error(&self, socket: WebSocket, error: Error) -> Result<()> {
        worker::console_warn!("live socket broke: {error}");
        let _ = socket.close::<&str>(None, None);
        Ok(())
    }

    async fn connect(&self, _socket: worker::Socket) -> Result<()> {
        Err(Error::from("an inbox takes no TCP connections"))
    }
}

impl Inbox {
    async fn answer(&self, body: &[u8]) -> Result<Answer, Failure> {
        let (call, bytes) = frame::split(body)?;
        // Asked first: it is the only await, so from here to the writes nothing comes between.
        self.know_alarm().await?;
        match call {
            Call::Allow { version, allowed, digest, may_register } => {
                self.allow(version, &allowed, &digest, may_register, bytes)
            }
            Call::Post { sender, id_digest, ttl_s } => self.post(&sender, &id_digest, ttl_s, bytes).await,
            Call::Pull { permit, since, senders } => self.pull(&permit, since, senders.as_deref()),
            Call::Purge { permit, sender } => self.purge(&permit, &sender),
            Call::Trim { permit, through } => self.trim(&permit, through),
            Call::Reserve { upload, hash, size } => self.reserve(&upload, &hash, size).await,
            Call::Commit { upload, hash, size } => self.commit(&upload, &hash, size).await,
            Call::Release { upload } => self.release(&upload),
            #[cfg(feature = "test-panic")]
            Call::Panic => self.panic_after_a_write(),
        }
    }

    pub(super) fn store(&self) -> Result<Option<Store>> {
        Store::existing(self.db())
    }

    pub(super) fn registered(&self) -> Result<Store, Failure> {
        Ok(self.store()?.ok_or(Problem::AGENT_NOT_REGISTERED)?)
    }

    pub(super) fn db(&self) -> Db {
        Db::of(&self.state)
    }

    async fn know_alarm(&self) -> Result<()> {
        if self.armed.get().is_none() {
            let at = self.state.storage().get_alarm().await?;
            self.armed.set(Some(at.and_then(|at| u64::try_from(at).ok())));
        }
        Ok(())
    }

    /// Makes sure that the alarm comes no later than this, give or take the grain.
    pub(super) async fn arm(&self, deadline: u64) -> Result<()> {
        let deadline = deadline.next_multiple_of(self.limits.sweep_grain_ms.max(1));
        if let Some(Some(armed)) = self.armed.get()
            && armed <= deadline
        {
            return Ok(());
        }
        self.armed.set(None);
        self.state.storage().set_alarm(alarm_time(deadline)).await?;
        self.armed.set(Some(Some(deadline)));
        Ok(())
    }
}
