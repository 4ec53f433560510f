//! The outbox: sealed in the step of its cause, posted in order, identical bytes until the relay has them.

use super::Engine;
use super::calls::{Answer, Outcome, Request};
use super::feed::Event;
use super::network::Task;
use super::restoring::SEQ_JUMP;
use super::sessions::session_key;
use super::state::{OutRow, Thread};
use super::step::Step;
use crate::artifact;
use crate::bond::{Bond, BondStatus};
use crate::envelope::{Draft, Kind, Profile, SealFault, Stamp, bind, seal_recording};
use crate::error::{Bug, Failure, Refusal};
use crate::limits::{HOUR_MS, MESSAGE_TTL_MAX_MS, MESSAGE_TTL_MS, THREADS_PER_BOND};
use crate::message::{Extras, Message};

/// Reserved thread of acknowledgements.
pub(super) const ACK_THREAD: &str = "ack";
/// Reserved thread of `bond.*`.
pub(super) const BOND_THREAD: &str = "bond";
/// How often a message is sealed again.
const RESEALS: usize = 5;

/// What was put into the outbox.
#[derive(Debug)]
pub(super) struct Enqueued {
    pub(super) id: String,
    pub(super) mid: String,
    pub(super) seq: u64,
    /// The exact plaintext.
    pub(super) plaintext: String,
}

/// What sealing adds to a payload.
struct Sealed {
    id: String,
    seq: u64,
    wire: String,
    plaintext: String,
    /// SHA-256 of the artifact that holds the plaintext, if the envelope could not.
    artifact: Option<String>,
}

/// A payload to be sealed.
struct Payload<'a> {
    kind: Kind,
    thread: &'a str,
    json: &'a str,
    mid: Option<&'a str>,
    expires_at: u64,
}

impl Engine {
    /// Seals a message and puts it into the outbox. `ttl_ms` is cut to 30 days.
    pub(super) fn enqueue(
        &mut self,
        step: &mut Step,
        bond_id: &str,
        message: &Message,
        thread: &str,
        ttl_ms: Option<u64>,
    ) -> Result<Enqueued, Failure> {
        let kind = message.kind();
        let json = message.to_json().map_err(|_| Bug::Serialise)?;
        let bond = self.state.bonds.get(bond_id).ok_or(Bug::Invariant)?;
        if !bond.profiles.has(kind.profile()) {
            return Err(Refusal::ProfileNotSupported.into());
        }
        let is_owners = kind != Kind::CoreAck;
        let mid = step.uuid();
        let expires_at = step.now + ttl_ms.unwrap_or(MESSAGE_TTL_MS).min(MESSAGE_TTL_MAX_MS);
        let payload = Payload { kind, thread, json: &json, mid: is_owners.then_some(mid.as_str()), expires_at };
        let sealed = self.seal_payload(step, bond_id, &payload)?;

        let host = self.state.host.get_mut(super::state::HOST).ok_or(Bug::Invariant)?;
        host.outbox += 1;
        let n = host.outbox;
        let row = OutRow {
            n,
            bond: bond_id.to_owned(),
            kind: kind.name().to_owned(),
            thread: thread.to_owned(),
            id: sealed.id.clone(),
            earlier_ids: Vec::new(),
            mid: is_owners.then(|| mid.clone()),
            wire: sealed.wire,
            payload: json,
            created_at: step.now,
            expires_at,
            relayed_at: None,
            alive_at: None,
            is_held: false,
            artifact: sealed.artifact,
        };
        self.state.outbox.put(row_key(bond_id, n), row);
        let facts = [("type", kind.name()), ("id", &sealed.id), ("thread", thread)];
        step.audit(&mut self.state, "envelope_sealed", Some(bond_id), &facts)?;
        Ok(Enqueued { id: sealed.id, mid, seq: sealed.seq, plaintext: sealed.plaintext })
    }

    /// Seals under a fresh id, sequence number and nonce.
    fn seal_payload(&mut self, step: &mut Step, bond_id: &str, payload: &Payload<'_>) -> Result<Sealed, Failure> {
        let keys = self.bond_keys(bond_id).ok_or(Refusal::BondNotActive)?;
        let bond = self.state.bonds.get(bond_id).ok_or(Bug::Invariant)?;
        let has_bond_profile = bond.speaks(Profile::Bond);
        let peer = bond.peer.clone();

        let thread_key = format!("{bond_id}/{}", payload.thread);
        self.ensure_thread(bond_id, &thread_key).map_err(|()| Refusal::ThreadLimit)?;
        let state = self.state.threads.get_mut(&thread_key).ok_or(Bug::Invariant)?;
        let prev = state.sealed;
        state.sealed += 1;
        let seq = state.sealed;

        let id = step.uuid();
        let mut plaintext = payload.json.to_owned();
        if has_bond_profile {
            let extras = Extras {
                bind: Some(bind(
                    keys.own.agent_id().as_str(),
                    peer.as_str(),
                    &id,
                    payload.kind.name(),
                    payload.thread,
                    seq,
                )),
                mid: payload.mid.map(str::to_owned),
                expires_at: payload.mid.is_some().then_some(payload.expires_at),
            };
            plaintext = extras.append_to(payload.json);
        }
        let draft = Draft {
            from: &keys.own,
            to: &peer,
            id: &id,
            kind: payload.kind.name(),
            thread: payload.thread,
            seq,
            ttl: payload.expires_at.div_ceil(1_000),
            stamp: has_bond_profile.then_some(Stamp { sealed_at: step.now, prev }),
            plaintext: plaintext.as_bytes(),
        };
        let (wire, nonce, artifact) = match seal_recording(&draft, &keys.pair, &mut step.rng) {
            Ok((wire, nonce)) => (wire, nonce, None),
            Err(SealFault::Header) => return Err(Bug::Serialise.into()),
            // The envelope carries a reference in place of the plaintext.
            Err(SealFault::TooLarge) => {
                let (sealed, reference) =
                    artifact::seal(draft.plaintext, &mut step.rng).map_err(|_| Refusal::PayloadTooLarge)?;
                let text = serde_json::to_string(&reference).map_err(|_| Bug::Serialise)?;
                let draft = Draft { plaintext: text.as_bytes(), ..draft };
                let (wire, nonce) = seal_recording(&draft, &keys.pair, &mut step.rng).map_err(|_| Bug::Serialise)?;
                self.keep_upload(bond_id, &reference.artifact_hash, &sealed);
                (wire, nonce, Some(reference.artifact_hash))
            }
        };
        // Without a time: when we sealed says nothing about what of the peer's is still on its way.
        self.remember_nonce(bond_id, &nonce, 0);
        let wire = String::from_utf8(wire).map_err(|_| Bug::Serialise)?;
        Ok(Sealed { id, seq, wire, plaintext, artifact })
    }

    /// Makes room for a thread.
    pub(super) fn ensure_thread(&mut self, bond: &str, key: &str) -> Result<(), ()> {
        if self.state.threads.contains(key) {
            return Ok(());
        }
        if self.state.threads.under(&format!("{bond}/")).count() >= THREADS_PER_BOND {
            return Err(());
        }
        self.state.threads.put(key, Thread::default());
        Ok(())
    }

    /// The next row of each bond that may be posted. On a negotiation thread one unacknowledged envelope is out at most.
    pub(super) fn wanted_posts(&self) -> Vec<Task> {
        let sending = self.state.bonds.values().filter(|bond| bond.is_over() || self.state.seeds.contains(&bond.id));
        sending
            .filter_map(|bond| {
                let mut waiting: Vec<&str> = Vec::new();
                let prefix = format!("{}/", bond.id);
                for (_, row) in self.state.outbox.under(&prefix) {
                    let is_negotiation = Kind::parse(&row.kind).is_some_and(Kind::is_negotiation);
                    if row.relayed_at.is_some() {
                        if is_negotiation {
                            waiting.push(&row.thread);
                        }
                        continue;
                    }
                    let is_of_bond = row.kind.starts_with("bond.") || row.kind == Kind::CoreAck.name();
                    if waiting.contains(&row.thread.as_str()) || !(is_of_bond || bond.is_usable() || bond.is_over()) {
                        continue;
                    }
                    let is_uploading = |hash: &&String| {
                        self.state.uploads.get(&format!("{prefix}{hash}")).is_some_and(|upload| !upload.is_uploaded)
                    };
                    return Some(match row.artifact.as_ref().filter(is_uploading) {
                        Some(hash) => Task::Upload(bond.id.clone(), hash.clone()),
                        None => Task::Post(bond.id.clone(), row.n),
                    });
                }
                None
            })
            .collect()
    }

    pub(super) fn post_request(&self, bond: &str, n: u64) -> Option<Request> {
        let row = self.state.outbox.get(&row_key(bond, n))?;
        let bond = self.state.bonds.get(bond)?;
        Some(Request::new(&bond.relay, "POST", format!("/inbox/{}", bond.peer)).json(row.wire.clone()))
    }

    pub(super) fn on_posted(
        &mut self,
        step: &mut Step,
        bond_id: &str,
        n: u64,
        answer: &Answer,
    ) -> Result<Outcome, Failure> {
        let key = row_key(bond_id, n);
        if !self.state.outbox.contains(&key) {
            return Ok(Outcome::Done);
        }
        let code = answer.code();
        match (answer.status, code.as_str()) {
            (204, _) => {
                self.mark_relayed(step, bond_id, &key)?;
                Ok(Outcome::Done)
            }
            (403, "recipient_not_allowed") => {
                // Once may be an answer from before the peer registered: it comes again soon.
                if self.network.retries.contains_key(&Task::Post(bond_id.to_owned(), n)) {
                    self.refused_by_recipient(step, bond_id)?;
                }
                Ok(Outcome::Failed(code))
            }
            // The id is taken by other bytes: only a new id can help.
            (409, _) if self.state.seeds.contains(bond_id) => {
                self.reseal(step, &key, &code)?;
                Ok(Outcome::Done)
            }
            // A relay may have less room than we use. Any other refusal is of bytes that were altered on the way, or
            // of a relay that is broken: what we sealed is well-formed, and is posted until somebody has it, or until
            // it expires by our own clock.
            (413, "envelope_too_large" | "payload_too_large") => {
                self.give_up(step, &key, "refused", Some(&code))?;
                Ok(Outcome::Done)
            }
            _ => Ok(Outcome::Failed(code)),
        }
    }

    fn mark_relayed(&mut self, step: &mut Step, bond_id: &str, key: &str) -> Result<(), Failure> {
        let bond = self.state.bonds.get_mut(bond_id).ok_or(Bug::Invariant)?;
        let is_acknowledged = bond.speaks(Profile::Bond);
        if bond.status == BondStatus::Unreachable {
            bond.status = BondStatus::Active;
            let event = Event::BondChanged { bond: bond_id.to_owned(), status: BondStatus::Active, reason: None };
            step.emit(&mut self.state, event)?;
        }
        let row = self.state.outbox.get_mut(key).ok_or(Bug::Invariant)?;
        row.relayed_at = Some(step.now);
        if let Some(hash) = row.artifact.take() {
            self.state.uploads.remove(&format!("{bond_id}/{hash}"));
        }
        let row = self.state.outbox.get(key).ok_or(Bug::Invariant)?;
        let (mid, thread) = (row.mid.clone(), row.thread.clone());
        // Nobody acknowledges an acknowledgement, the last words of a bond, or anything with a draft peer.
        let is_over = self.state.bonds.get(bond_id).is_some_and(Bond::is_over);
        if !is_acknowledged || mid.is_none() || is_over {
            self.state.outbox.remove(key);
        }
        if is_over {
            self.erase_if_done(step, bond_id)?;
        }
        if let Some(mid) = mid {
            self.emit_delivery(step, bond_id, (mid, thread), "relayed", None)?;
        }
        Ok(())
    }

    fn emit_delivery(
        &mut self,
        step: &mut Step,
        bond: &str,
        (mid, thread): (String, String),
        state: &str,
        code: Option<&str>,
    ) -> Result<(), Bug> {
        // Words between hosts: no news for the owner.
        if thread == BOND_THREAD {
            return Ok(());
        }
        let event = Event::Delivery {
            bond: bond.to_owned(),
            mid,
            thread,
            state: state.to_owned(),
            code: code.map(str::to_owned),
        };
        step.emit(&mut self.state, event)
    }

    /// Ends an outbox row for good.
    pub(super) fn finish(
        &mut self,
        step: &mut Step,
        key: &str,
        state: &str,
        code: Option<&str>,
    ) -> Result<(), Failure> {
        let Some(row) = self.state.outbox.remove(key) else {
            return Ok(());
        };
        if let Some(hash) = &row.artifact {
            self.state.uploads.remove(&format!("{}/{hash}", row.bond));
        }
        let act = format!("envelope_{state}");
        let facts = [("type", row.kind.as_str()), ("id", row.id.as_str()), ("code", code.unwrap_or_default())];
        step.audit(&mut self.state, &act, Some(&row.bond), &facts)?;
        if let Some(mid) = row.mid {
            self.emit_delivery(step, &row.bond, (mid, row.thread), state, code)?;
        }
        Ok(())
    }

    /// Ends an outbox row that the peer will not get.
    pub(super) fn give_up(
        &mut self,
        step: &mut Step,
        key: &str,
        state: &str,
        code: Option<&str>,
    ) -> Result<(), Failure> {
        let Some(OutRow { bond, thread, kind, .. }) = self.state.outbox.get(key).cloned() else {
            return Ok(());
        };
        self.finish(step, key, state, code)?;
        self.on_negotiation_lost(step, &bond, &thread, &kind)
    }

    /// The peer processed, or refused, an envelope of ours.
    pub(super) fn on_verdict(
        &mut self,
        step: &mut Step,
        bond: &str,
        id: &str,
        refused: Option<&str>,
    ) -> Result<(), Failure> {
        let prefix = format!("{bond}/");
        let found = self
            .state
            .outbox
            .under(&prefix)
            .find(|(_, row)| row.id == id || (refused.is_none() && row.earlier_ids.iter().any(|earlier| earlier == id)))
            .map(|(key, _)| key.clone());
        let Some(key) = found else {
            return Ok(());
        };
        match refused {
            None => self.finish(step, &key, "delivered", None),
            Some(code @ ("stale_seq" | "stale_timestamp")) => {
                if code == "stale_seq" {
                    self.jump(&key)?;
                }
                self.reseal(step, &key, code)
            }
            // Not for good: sealed again in an hour, or when the peer's hello says that it holds the bond no more.
            Some("bond_held") => {
                let row = self.state.outbox.get_mut(&key).ok_or(Bug::Invariant)?;
                (row.is_held, row.alive_at) = (true, Some(step.now));
                Ok(())
            }
            Some(code) => {
                let row = self.state.outbox.get(&key).cloned().ok_or(Bug::Invariant)?;
                self.finish(step, &key, "refused", Some(code))?;
                self.on_negotiation_refused(step, bond, &row.thread, &row.kind, code)
            }
        }
    }

    /// The peer has seen higher numbers on this thread than this store knows of: it is an older copy.
    fn jump(&mut self, key: &str) -> Result<(), Bug> {
        let row = self.state.outbox.get(key).ok_or(Bug::Invariant)?;
        let thread = self.state.threads.get_mut(&format!("{}/{}", row.bond, row.thread)).ok_or(Bug::Invariant)?;
        thread.sealed += SEQ_JUMP;
        Ok(())
    }

    /// Seals a message again: same `mid`, new id, sequence number and time.
    pub(super) fn reseal(&mut self, step: &mut Step, key: &str, code: &str) -> Result<(), Failure> {
        // A row before it may have ended the bond, and its outbox with it.
        let Some(row) = self.state.outbox.get(key).cloned() else {
            return Ok(());
        };
        let kind = Kind::parse(&row.kind).ok_or(Bug::CorruptRecord)?;
        let is_worn = row.earlier_ids.len() >= RESEALS && !row.is_held;
        if is_worn || row.mid.is_none() || row.expires_at <= step.now {
            return self.give_up(step, key, "refused", Some(code));
        }
        let payload = Payload {
            kind,
            thread: &row.thread,
            json: &row.payload,
            mid: row.mid.as_deref(),
            expires_at: row.expires_at,
        };
        let sealed = self.seal_payload(step, &row.bond, &payload)?;
        let facts = [("type", row.kind.as_str()), ("id", sealed.id.as_str()), ("again", row.id.as_str())];
        step.audit(&mut self.state, "envelope_sealed", Some(&row.bond), &facts)?;
        if kind == Kind::NegoOpen
            && let Some(session) = self.state.sessions.get_mut(&session_key(&row.bond, &row.thread))
        {
            session.plaintexts.push(sealed.plaintext);
        }
        let stored = self.state.outbox.get_mut(key).ok_or(Bug::Invariant)?;
        if stored.is_held {
            // What was refused for that will not be acknowledged later.
            stored.id = sealed.id;
        } else {
            stored.earlier_ids.push(std::mem::replace(&mut stored.id, sealed.id));
        }
        stored.is_held = false;
        stored.wire = sealed.wire;
        stored.artifact = sealed.artifact;
        stored.relayed_at = None;
        stored.alive_at = None;
        Ok(())
    }

    /// The peer holds the bond no more: what waited for that is sealed again.
    pub(super) fn release_held(&mut self, step: &mut Step, bond: &str) -> Result<(), Failure> {
        let prefix = format!("{bond}/");
        let held = self.state.outbox.under(&prefix).filter(|(_, row)| row.is_held);
        let held: Vec<String> = held.map(|(key, _)| key.clone()).collect();
        for key in held {
            self.reseal(step, &key, "bond_held")?;
        }
        Ok(())
    }

    /// Expires what is too old, and seals again what was relayed but not heard of for an hour after a sign of life.
    pub(super) fn tend_outbox(&mut self, step: &mut Step) -> Result<(), Failure> {
        let mut expired = Vec::new();
        let mut alive = Vec::new();
        let mut unheard = Vec::new();
        for (key, row) in self.state.outbox.iter() {
            if row.expires_at <= step.now {
                expired.push(key.clone());
            } else if let Some(relayed) = row.relayed_at
                && let Some(bond) = self.state.bonds.get(&row.bond).filter(|bond| bond.is_usable())
            {
                match row.alive_at {
                    None if bond.peer_seen_at > relayed => alive.push(key.clone()),
                    Some(at) if at + HOUR_MS <= step.now => unheard.push(key.clone()),
                    _ => {}
                }
            }
        }
        for key in alive {
            if let Some(row) = self.state.outbox.get_mut(&key) {
                row.alive_at = Some(step.now);
            }
        }
        for key in expired {
            self.give_up(step, &key, "expired", None)?;
        }
        for key in unheard {
            self.reseal(step, &key, "unacknowledged")?;
        }
        Ok(())
    }
}

/// Key of an outbox row: the order of keys is the order of posting.
pub(super) fn row_key(bond: &str, n: u64) -> String {
    format!("{bond}/{n:012}")
}
