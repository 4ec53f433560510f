//! The acts of an inbox: view, decision, one block of writes.

use worker::{Response, WebSocketPair};

use super::body::{self, Summary};
use super::call::{Live, Permit};
use super::decide::{allowlist, artifact, live::Socket, page, post};
use super::object::Inbox;
use super::sockets;
use super::store::Store;
use crate::answer::Answer;
use crate::edge::{Failure, now};
use crate::hash::{parse_sha256, sha256};
use crate::problem::Problem;

impl Inbox {
    pub(super) fn allow(
        &self,
        version: Option<u64>,
        allowed: &[String],
        digest: &str,
        may_register: bool,
        signed: &[u8],
    ) -> Result<Answer, Failure> {
        let digest = parse_sha256(digest).ok_or(Problem::INTERNAL)?;
        let store = self.store()?;
        let held = store.as_ref().map(Store::held).transpose()?.flatten();
        let push = allowlist::Push { version, digest, may_register };
        let outcome = allowlist::decide(held.as_ref(), &push)?;
        let old = store.as_ref().map(Store::allowed).transpose()?.unwrap_or_default();
        let changes = allowlist::changes(&old, allowed);
        match (outcome, store) {
            (allowlist::Outcome::Unchanged, _) => {}
            (_, Some(store)) => {
                store.replace(version, &digest, signed)?;
                store.change_allowed(&changes)?;
            }
            (_, None) => {
                let store = Store::create(self.db(), &epoch()?, (version, &digest, signed))?;
                store.change_allowed(&changes)?;
            }
        }
        Ok(Answer::no_content())
    }

    pub(super) async fn post(&self, sender: &str, id_digest: &str, ttl_s: u64, wire: &[u8]) -> Result<Answer, Failure> {
        let now = now();
        let Some(store) = self.store()? else { return Err(Problem::RECIPIENT_NOT_ALLOWED.into()) };
        if !store.allows(sender)? {
            return Err(Problem::RECIPIENT_NOT_ALLOWED.into());
        }
        let digests = (&parse_sha256(id_digest).ok_or(Problem::INTERNAL)?, &sha256(wire));
        let (inbox, of_sender) = store.usage(sender, now)?;
        let same_id = store.same_id(digests.0, digests.1)?;
        let view = post::View { sender_allowed: true, same_id, inbox, sender: of_sender };
        let arrival = post::Arrival { size: wire.len() as u64, ttl_s };
        if let post::Outcome::Store { expires_at } = post::decide(&view, arrival, now, &self.limits)? {
            store.insert(digests, sender, wire, (now, expires_at))?;
            sockets::pump_all(&self.state, &store, now, &self.limits);
            self.arm(expires_at).await?;
        }
        Ok(Answer::no_content())
    }

    pub(super) fn pull(&self, permit: &Permit, since: u64, senders: Option<&[String]>) -> Result<Answer, Failure> {
        let Some(store) = self.store()? else {
            // Nothing is here to protect, and an owner that never registered is told so by the missing epoch.
            let summary = Summary { cursor: since, filtered: 0, more: false, epoch: None };
            return Ok(Answer::json_text(200, body::pull(&[], &summary)));
        };
        unused(&store, permit)?;
        let now = now();
        let rows = store.next_rows(since, senders, self.limits.pull_rows, now)?;
        let page = page::take(&rows, Default::default(), self.limits.pull_rows, self.limits.pull_bytes);
        let stored = match page.through {
            Some(through) => store.wires(since, through, senders, now)?,
            None => Vec::new(),
        };
        let filtered = senders.map(|senders| store.filtered(since, senders, now)).transpose()?.unwrap_or(0);
        let epoch = store.epoch()?;
        let summary = Summary { cursor: page.through.unwrap_or(since), filtered, more: page.more, epoch: Some(&epoch) };
        store.mark_used(permit, now)?;
        Ok(Answer::json_text(200, body::pull(&stored, &summary)))
    }

    pub(super) fn purge(&self, permit: &Permit, sender: &str) -> Result<Answer, Failure> {
        let deleted = match self.store()? {
            Some(store) => {
                unused(&store, permit)?;
                store.mark_used(permit, now())?;
                store.purge(sender)?
            }
            None => 0,
        };
        Ok(Answer::json(200, &serde_json::json!({"deleted": deleted, "peer_purged": false})))
    }

    pub(super) fn trim(&self, permit: &Permit, through: u64) -> Result<Answer, Failure> {
        let trimmed = match self.store()? {
            Some(store) => {
                unused(&store, permit)?;
                store.mark_used(permit, now())?;
                store.trim(through, self.limits.trimmed_rows)?
            }
            None => 0,
        };
        Ok(Answer::json(200, &serde_json::json!({"trimmed": trimmed})))
    }

    pub(super) fn open_live(&self, live: &Live) -> Result<Response, Failure> {
        let store = self.registered()?;
        unused(&store, &live.permit)?;
        let now = now();
        store.mark_used(&live.permit, now)?;
        sockets::make_room(&self.state, &self.limits)?;
        let pair = WebSocketPair::new()?;
        self.state.accept_web_socket(&pair.server);
        let serial = self.serial.get();
        self.serial.set(serial.wrapping_add(1));
        sockets::attach(&pair.server, &Socket::open(now.ms, serial, live.since))?;
        pair.server.send_with_str(body::epoch_frame(&store.epoch()?))?;
        sockets::pump(&pair.server, &store, now, &self.limits)?;
        Ok(Response::from_websocket(pair.client)?)
    }

    pub(super) async fn reserve(&self, upload: &str, hash: &str, size: u64) -> Result<Answer, Failure> {
        let store = self.registered()?;
        let now = now();
        let view = store.artifact_view(hash, size, now)?;
        artifact::decide(&view, size, &self.limits)?;
        let expires_at = now.after(self.limits.artifact_upload_ms);
        store.reserve(upload, hash, size, expires_at)?;
        self.arm(expires_at).await?;
        Ok(Answer::no_content())
    }

    pub(super) async fn commit(&self, upload: &str, hash: &str, size: u64) -> Result<Answer, Failure> {
        let expires_at = now().after(self.limits.artifact_retention_ms);
        self.registered()?.commit(upload, hash, size, expires_at)?;
        self.arm(expires_at).await?;
        Ok(Answer::no_content())
    }

    pub(super) fn release(&self, upload: &str) -> Result<Answer, Failure> {
        self.registered()?.release(upload)?;
        Ok(Answer::no_content())
    }

    /// Panics after a write that must not survive it.
    #[cfg(feature = "test-panic")]
    #[expect(clippy::panic, reason = "the point of the feature")]
    pub(super) fn panic_after_a_write(&self) -> Result<Answer, Failure> {
        self.registered()?.0.run("DELETE FROM envelopes", vec![])?;
        panic!("asked to panic")
    }
}

/// A challenge is good for one act.
fn unused(store: &Store, permit: &Permit) -> Result<(), Failure> {
    if store.was_used(permit)? { Err(Problem::CHALLENGE_INVALID.into()) } else { Ok(()) }
}

/// Names the data of an inbox from its first write on.
fn epoch() -> Result<String, Failure> {
    let mut random = [0; 8];
    getrandom::fill(&mut random)?;
    Ok(hex::encode(random))
}
