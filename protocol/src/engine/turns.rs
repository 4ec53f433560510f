//! Turns: propose, counter, accept, each counted on both sides.

use super::Engine;
use super::dispatch::Dispatched;
use super::reply::Reply;
use super::sessions::session_key;
use super::step::Step;
use crate::artifact::sha256_hex;
use crate::bond::Bond;
use crate::error::{Failure, Misuse, Refusal, Reject};
use crate::limits::SESSION_BYTES;
use crate::message::{AGREED_SECTION, Message, Turn, TurnKind};
use crate::negotiation::{Deliverable, Described, Side, TurnRow};

/// A turn of this side, as it is commanded.
pub(super) struct Move {
    pub(super) kind: TurnKind,
    pub(super) body: String,
    /// What is put forward.
    pub(super) deliverable: Option<Deliverable>,
    /// What is accepted, by its SHA-256; the peer's last if absent.
    pub(super) sha256: Option<String>,
}

impl Engine {
    pub(super) fn take_turn(
        &mut self,
        step: &mut Step,
        bond: &str,
        thread: &str,
        Move { kind, body, deliverable, sha256: meant }: Move,
    ) -> Result<Reply, Failure> {
        let bond = self.usable_bond(bond)?;
        let key = session_key(&bond.id, thread);
        self.must_be_before_deadline(step, &key)?;
        let described = match (&deliverable, kind.carries_deliverable()) {
            (Some(deliverable), true) => {
                deliverable
                    .check()
                    .map_err(|fault| Failure::Misused(Misuse::DeliverableNotCanonical, fault.advice().to_owned()))?;
                Some(deliverable.describe())
            }
            (None, false) => None,
            (None, true) => return Err(super::commands::misuse("deliverable", "given with propose and counter")),
            (Some(_), false) => return Err(super::commands::misuse("deliverable", "absent from accept")),
        };
        if meant.is_some() && kind != TurnKind::Accept {
            return Err(super::commands::misuse("sha256", "given with accept only"));
        }
        let (body, accepted) = if kind == TurnKind::Accept {
            let last = self.last_deliverable(&key, Side::Peer).ok_or(Refusal::ArtifactNotFound)?;
            if meant.is_some_and(|meant| meant != last.sha256) {
                return Err(Refusal::ArtifactSuperseded.into());
            }
            let accept =
                serde_json::json!({ "section_id": AGREED_SECTION, "artifact_hash": last.sha256, "note": body });
            (accept.to_string(), Some(last.sha256))
        } else {
            (body, None)
        };
        let size = body.len() + deliverable.as_ref().map_or(0, |deliverable| deliverable.text.len());
        if !self.has_room(&key, size) {
            return Err(Failure::Refused(Refusal::PayloadTooLarge, "the session holds 16 MiB already".to_owned()));
        }
        let session = self.state.sessions.get_mut(&key).ok_or(Refusal::SessionNotFound)?;
        let n = session.take_turn().map_err(Refusal::from)?;
        if let Some(deliverable) = &deliverable {
            self.state
                .deliverables
                .put(format!("{key}/{}", sha256_hex(deliverable.text.as_bytes())), deliverable.clone());
        }
        let sha256 = described.as_ref().map(|d| d.sha256.clone()).or(accepted);
        let turn = Turn {
            thread: Some(thread.to_owned()),
            turn_count: Some(n.into()),
            msg_type: Some(kind.name().to_owned()),
            body: Some(body.clone()),
            deliverable,
        };
        let sent = self.enqueue(step, &bond.id, &Message::Turn(turn), thread, None)?;
        let row =
            TurnRow { n, by: Side::Me, msg_type: kind.name().to_owned(), body, deliverable: described, at: step.now };
        self.state.turns.put(format!("{key}/{n:04}"), row);
        self.emit_session(step, &bond.id, thread, "turn")?;
        Ok(Reply { turn: Some(n), sha256, id: Some(sent.id), mid: Some(sent.mid), ..Reply::default() })
    }

    pub(super) fn on_turn(&mut self, step: &mut Step, bond: &Bond, thread: &str, turn: Turn) -> Dispatched {
        let key = session_key(&bond.id, thread);
        if turn.deliverable.as_ref().is_some_and(|deliverable| deliverable.check().is_err()) {
            return Ok(Err(Reject::InvalidPayload));
        }
        let size = turn.body.as_ref().map_or(0, String::len)
            + turn.deliverable.as_ref().map_or(0, |deliverable| deliverable.text.len());
        if !self.has_room(&key, size) {
            return Ok(Err(Reject::ArtifactTooLarge));
        }
        let Some(session) = self.state.sessions.get_mut(&key) else {
            return Ok(Err(Reject::SessionNotFound));
        };
        let n = match session.take_turn() {
            Ok(n) => n,
            Err(reject) => return Ok(Err(reject)),
        };
        let described = turn.deliverable.as_ref().map(Deliverable::describe);
        if let Some(deliverable) = turn.deliverable {
            self.state.deliverables.put(format!("{key}/{}", sha256_hex(deliverable.text.as_bytes())), deliverable);
        }
        let row = TurnRow {
            n,
            by: Side::Peer,
            msg_type: turn.msg_type.unwrap_or_default(),
            body: turn.body.unwrap_or_default(),
            deliverable: described,
            at: step.now,
        };
        self.state.turns.put(format!("{key}/{n:04}"), row);
        self.emit_session(step, &bond.id, thread, "turn")?;
        Ok(Ok(()))
    }

    /// Whether the session may hold another turn of this size.
    fn has_room(&self, key: &str, size: usize) -> bool {
        let prefix = format!("{key}/");
        let held = self.state.turns.under(&prefix).map(|(_, turn)| {
            turn.body.len() as u64 + turn.deliverable.as_ref().map_or(0, |deliverable| deliverable.bytes)
        });
        held.sum::<u64>().saturating_add(size as u64) <= SESSION_BYTES
    }

    fn last_deliverable(&self, key: &str, by: Side) -> Option<Described> {
        let prefix = format!("{key}/");
        let turns = self.state.turns.under(&prefix).map(|(_, turn)| turn);
        turns.filter(|turn| turn.by == by).filter_map(|turn| turn.deliverable.clone()).last()
    }

    pub(super) fn must_be_before_deadline(&self, step: &Step, key: &str) -> Result<(), Failure> {
        let session = self.state.sessions.get(key).ok_or(Refusal::SessionNotFound)?;
        match session.expiry() {
            Some((at, _)) if at <= step.now => Err(Refusal::DeadlineExpired.into()),
            _ => Ok(()),
        }
    }
}
