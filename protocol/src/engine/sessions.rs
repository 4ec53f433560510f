//! Sessions as a whole: their keys, their end, and the time that ends them.

use super::Engine;
use super::feed::Event;
use super::step::Step;
use crate::artifact::sha256_hex;
use crate::bond::Mode;
use crate::envelope::Kind;
use crate::error::{Bug, Failure};
use crate::gate::Subject;
use crate::message::{Close, Message, OpenExpired};
use crate::negotiation::{Session, Side};

/// Key of a session, and prefix of what belongs to it. A thread may have any name, `T` and `T/1` too: its digest is the
/// key.
pub(super) fn session_key(bond: &str, thread: &str) -> String {
    format!("{bond}/{}", sha256_hex(thread.as_bytes()).split_at(32).0)
}

impl Engine {
    /// Ends a session that is not over. What waits for the human is void; an ephemeral bond ends with it.
    pub(super) fn end_session(
        &mut self,
        step: &mut Step,
        bond_id: &str,
        thread: &str,
        reason: &str,
        words: Option<String>,
        by: Side,
    ) -> Result<(), Failure> {
        let key = session_key(bond_id, thread);
        let Some(session) = self.state.sessions.get_mut(&key) else {
            return Ok(());
        };
        if !session.end(reason, words, by, step.now) {
            return Ok(());
        }
        self.withdraw_pendings(step, |subject| match subject {
            Subject::Open { bond, thread: t }
            | Subject::Ratify { bond, thread: t }
            | Subject::Extend { bond, thread: t, .. } => bond == bond_id && t == thread,
            Subject::Join { .. } | Subject::Verify { .. } | Subject::Continue { .. } => false,
        })?;
        step.audit(&mut self.state, "session_ended", Some(bond_id), &[("thread", thread), ("reason", reason)])?;
        self.emit_session(step, bond_id, thread, reason)?;
        let is_ephemeral =
            self.state.bonds.get(bond_id).is_some_and(|bond| bond.mode == Mode::Ephemeral && !bond.is_over());
        if is_ephemeral { self.revoke(step, bond_id, Some("ephemeral_ended".to_owned())) } else { Ok(()) }
    }

    /// Lets sessions run out, and tells the peer where it cannot know by itself.
    pub(super) fn tend_sessions(&mut self, step: &mut Step) -> Result<(), Failure> {
        let late: Vec<(String, String, &'static str)> = self
            .state
            .sessions
            .values()
            .filter_map(|session| {
                let (at, reason) = session.expiry()?;
                (at <= step.now).then(|| (session.bond.clone(), session.thread.clone(), reason))
            })
            .collect();
        for (bond, thread, reason) in late {
            self.expire_session(step, &bond, &thread, reason)?;
        }
        Ok(())
    }

    pub(super) fn expire_session(
        &mut self,
        step: &mut Step,
        bond: &str,
        thread: &str,
        reason: &'static str,
    ) -> Result<(), Failure> {
        let opened_by = self.state.sessions.get(&session_key(bond, thread)).map(|session| session.opened_by);
        let notice = match (reason, opened_by) {
            ("open_expired", Some(Side::Peer)) => {
                Some(Message::OpenExpired(OpenExpired { thread: Some(thread.to_owned()) }))
            }
            ("ratify_expired", _) => Some(Message::Close(Close { reason: Some(reason.to_owned()) })),
            _ => None,
        };
        if let Some(notice) = notice
            && self.state.seeds.contains(bond)
        {
            self.enqueue(step, bond, &notice, thread, None)?;
        }
        self.end_session(step, bond, thread, reason, None, Side::Me)
    }

    /// The peer refused an opening, or knows no such session: then this side has none either.
    pub(super) fn on_negotiation_refused(
        &mut self,
        step: &mut Step,
        bond: &str,
        thread: &str,
        kind: &str,
        code: &str,
    ) -> Result<(), Failure> {
        let is_without_session = match Kind::parse(kind) {
            Some(Kind::NegoOpen) => true,
            // Both humans ratified, and not the same: that is no agreement.
            Some(Kind::NegoRatified) if code == "agreement_mismatch" => true,
            Some(kind) => kind.is_negotiation() && matches!(code, "thread_closed" | "session_not_found"),
            None => false,
        };
        if Kind::parse(kind) == Some(Kind::NegoSigned) && code == "hash_frozen" {
            return self.on_hash_frozen(step, bond, thread);
        }
        if is_without_session {
            self.end_session(step, bond, thread, "refused_by_peer", None, Side::Peer)?;
        }
        Ok(())
    }

    /// A word of a negotiation will never reach the peer: then neither side may go on as if it had.
    pub(super) fn on_negotiation_lost(
        &mut self,
        step: &mut Step,
        bond: &str,
        thread: &str,
        kind: &str,
    ) -> Result<(), Failure> {
        let is_negotiation = Kind::parse(kind).is_some_and(Kind::is_negotiation);
        let session = self.state.sessions.get(&session_key(bond, thread));
        if !is_negotiation || session.is_none_or(Session::is_over) || !self.state.seeds.contains(bond) {
            return Ok(());
        }
        let close = Message::Close(Close { reason: Some("undeliverable".to_owned()) });
        self.enqueue(step, bond, &close, thread, None)?;
        self.end_session(step, bond, thread, "undeliverable", None, Side::Me)
    }

    pub(super) fn emit_session(&mut self, step: &mut Step, bond: &str, thread: &str, cause: &str) -> Result<(), Bug> {
        let status = self.state.sessions.get(&session_key(bond, thread)).map_or("ended", Session::status);
        let event = Event::Session {
            bond: bond.to_owned(),
            thread: thread.to_owned(),
            status: status.to_owned(),
            cause: cause.to_owned(),
        };
        step.emit(&mut self.state, event)
    }
}
