//! Receiving: each row of an inbox is judged by itself, and has one outcome.

use super::Engine;
use super::artifacts::Reference;
use super::feed::Event;
use super::state::{Parked, SeenMid};
use super::step::Step;
use crate::artifact::SpillRef;
use crate::bond::{Bond, BondStatus, Scope};
use crate::envelope::{Decoded, Headers, Kind, NONCE_BYTES, Profile, Routed, bind};
use crate::error::{Failure, Reject};
use crate::limits::{HOUR_MS, MINUTE_MS, SEALED_LIFE_MS, THREAD_BYTES};
use crate::message::{Extras, Message};

/// An envelope that passed every check.
pub(super) struct Received {
    pub(super) headers: Headers,
    pub(super) kind: Kind,
    pub(super) message: Message,
    pub(super) plaintext: Vec<u8>,
    /// Whether something before it on its thread is missing.
    pub(super) gap: bool,
}

/// What a row led to.
pub(super) enum Verdict {
    /// Its effect, or its refusal.
    Judged,
    /// It waits for the bytes that it refers to.
    Waits(Reference),
}

/// A message that is new, one that was judged before, with the code of its refusal, or one whose bytes are elsewhere.
enum Judged {
    New(Box<Received>, Extras),
    Again(Headers, Kind, Option<String>),
    Waits(Reference),
}

impl Engine {
    /// Judges one row and lets it have its effect, now or once the bytes that it refers to are here. A peer's fault is
    /// an outcome, never an error. Returns whether it was news.
    pub(super) fn receive(&mut self, step: &mut Step, bond_id: &str, wire: &str) -> Result<bool, Failure> {
        let Some((bond, routed)) = self.routed(step, bond_id, wire)? else {
            return Ok(false);
        };
        // Delivered twice: after a crash that is no fault, and a relay may do it as often as it likes.
        if routed.nonce().is_some_and(|nonce| self.is_seen(bond_id, &nonce)) {
            self.count_reject(step, bond_id, Reject::ReplayedNonce)?;
            return Ok(false);
        }
        let (id, kind, thread) = (routed.id().to_owned(), routed.kind().to_owned(), routed.thread().to_owned());
        let expires_at = routed.ttl_ms().min(step.now + SEALED_LIFE_MS);
        let reference = if self.is_stalled(bond_id, &thread) {
            None
        } else {
            match self.effect_of(step, &bond, routed, None)? {
                Verdict::Judged => return Ok(true),
                Verdict::Waits(reference) => Some(*reference),
            }
        };
        let names = (id.as_str(), kind.as_str(), thread.as_str());
        let parked = Parked {
            n: 0,
            id: id.clone(),
            kind: kind.clone(),
            thread: thread.clone(),
            wire: wire.to_owned(),
            reference,
            expires_at,
        };
        if let Err(reject) = self.park(bond_id, &thread, parked) {
            self.refuse(step, bond_id, names, reject)?;
        }
        Ok(true)
    }

    /// Judges an envelope that was parked: with the bytes that it referred to, or because it waited behind another.
    pub(super) fn receive_parked(
        &mut self,
        step: &mut Step,
        bond_id: &str,
        wire: &str,
        fetched: Option<Vec<u8>>,
    ) -> Result<Verdict, Failure> {
        match self.routed(step, bond_id, wire)? {
            Some((bond, routed)) => self.effect_of(step, &bond, routed, fetched),
            None => Ok(Verdict::Judged),
        }
    }

    /// The steps up to routing. Before a good signature anybody can be the sender: failures are only counted.
    fn routed(&mut self, step: &Step, bond_id: &str, wire: &str) -> Result<Option<(Bond, Routed)>, Failure> {
        // Nobody is heard on a bond that is over, whatever was under way when it ended.
        let Some(bond) = self.state.bonds.get(bond_id).filter(|bond| !bond.is_over()).cloned() else {
            return Ok(None);
        };
        match Self::authenticate(&bond, wire) {
            Ok(routed) => Ok(Some((bond, routed))),
            Err(reject) => {
                self.count_reject(step, bond_id, reject)?;
                Ok(None)
            }
        }
    }

    fn effect_of(
        &mut self,
        step: &mut Step,
        bond: &Bond,
        routed: Routed,
        fetched: Option<Vec<u8>>,
    ) -> Result<Verdict, Failure> {
        let (id, kind, thread) = (routed.id().to_owned(), routed.kind().to_owned(), routed.thread().to_owned());
        match self.judge(step, bond, routed, fetched) {
            Ok(Judged::New(received, extras)) => self.accept(step, bond, *received, &extras)?,
            Ok(Judged::Again(headers, kind, refused)) => {
                self.owe_ack(step, &bond.id, Some(kind), (&headers.id, headers.seq), refused.as_deref());
            }
            Ok(Judged::Waits(reference)) => return Ok(Verdict::Waits(reference)),
            Err(reject) => self.refuse(step, &bond.id, (&id, &kind, &thread), reject)?,
        }
        Ok(Verdict::Judged)
    }

    /// Refuses an authentic envelope: told to the peer, and to the owner.
    pub(super) fn refuse(
        &mut self,
        step: &mut Step,
        bond: &str,
        (id, kind, thread): (&str, &str, &str),
        reject: Reject,
    ) -> Result<(), Failure> {
        let kind = Kind::parse(kind);
        self.owe_ack(step, bond, kind, (id, 0), Some(reject.code()));
        // What an old envelope, delivered again, is refused for: a relay can cause as many of these as it likes.
        let stale = [Reject::StaleSeq, Reject::StaleTimestamp, Reject::EnvelopeExpired, Reject::ReplayedNonce];
        if stale.contains(&reject) {
            return self.count_reject(step, bond, reject);
        }
        let (id, thread) = (presentable(id), presentable(thread));
        let facts = [("type", kind.map_or("unknown", Kind::name)), ("id", id), ("code", reject.code())];
        step.audit(&mut self.state, "envelope_rejected", Some(bond), &facts)?;
        let event = Event::Refused {
            bond: bond.to_owned(),
            thread: thread.to_owned(),
            id: id.to_owned(),
            code: reject.code().to_owned(),
        };
        Ok(step.emit(&mut self.state, event)?)
    }

    fn authenticate(bond: &Bond, wire: &str) -> Result<Routed, Reject> {
        Decoded::from_wire(wire.as_bytes())?.bonded(Some(&bond.peer))?.authentic()?.routed(&bond.own)
    }

    fn count_reject(&mut self, step: &Step, bond: &str, reject: Reject) -> Result<(), Failure> {
        let key = format!("{bond}/{}/{}", reject.code(), step.now / HOUR_MS);
        let mut counter = self.state.rejected.get(&key).cloned().unwrap_or_default();
        counter.count += 1;
        self.state.rejected.put(key, counter);
        Ok(())
    }

    /// From routed to a typed message: freshness, nonce, decryption, thread, type, profile, binding, schema.
    fn judge(&mut self, step: &Step, bond: &Bond, routed: Routed, fetched: Option<Vec<u8>>) -> Result<Judged, Reject> {
        let has_bond_profile = bond.speaks(Profile::Bond);
        let thread_key = format!("{}/{}", bond.id, routed.thread());
        let accepted = self.state.threads.get(&thread_key).map_or(0, |thread| thread.accepted);
        let fresh = routed.fresh(accepted, step.now_s())?;
        let nonce = fresh.nonce()?;
        self.check_nonce(bond, fresh.headers(), &nonce, step.now)?;
        let keys = self.bond_keys(&bond.id).ok_or(Reject::RecipientNotAllowed)?;
        let (headers, carried) = fresh.open(&keys.pair)?.into_parts();

        if !is_thread(&headers.thread) {
            return Err(Reject::InvalidPayload);
        }
        let kind = Kind::parse(&headers.kind).ok_or(Reject::UnsupportedEnvelopeType)?;
        if !bond.profiles.has(kind.profile()) {
            return Err(Reject::ProfileNotSupported);
        }
        let plaintext = match (SpillRef::read(&carried)?, fetched) {
            (None, _) => carried,
            (Some(_), Some(fetched)) => fetched,
            (Some(reference), None) => {
                admit(bond, kind)?;
                return Ok(Judged::Waits(Box::new(reference)));
            }
        };
        let extras = Extras::read(&plaintext)?;
        if has_bond_profile {
            let expected = bind(&headers.from, &headers.to, &headers.id, &headers.kind, &headers.thread, headers.seq);
            if extras.bind.as_ref() != Some(&expected) {
                return Err(Reject::InvalidPayload);
            }
        }
        if let Some(mid) = &extras.mid
            && let Some(seen) = self.state.mids.get(&format!("{}/{mid}", bond.id))
        {
            let refused = seen.refused.clone();
            self.commit_arrival(step, bond, &headers, &nonce, &thread_key)?;
            return Ok(Judged::Again(headers, kind, refused));
        }
        let message = Message::read(kind, &headers.thread, &plaintext)?;
        admit(bond, kind)?;
        self.commit_arrival(step, bond, &headers, &nonce, &thread_key)?;
        let gap = headers.prev.is_some_and(|prev| prev > accepted);
        Ok(Judged::New(Box::new(Received { headers, kind, message, plaintext, gap }), extras))
    }

    fn check_nonce(
        &mut self,
        bond: &Bond,
        headers: &Headers,
        nonce: &[u8; NONCE_BYTES],
        now: u64,
    ) -> Result<(), Reject> {
        if self.is_seen(&bond.id, nonce) {
            return Err(Reject::ReplayedNonce);
        }
        let low_ts = self.state.inboxes.get(&bond.id).map_or(0, |inbox| inbox.low_ts);
        match headers.sealed_at {
            Some(ts) if low_ts > 0 && ts <= low_ts => Err(Reject::StaleTimestamp),
            Some(ts) if ts.saturating_add(SEALED_LIFE_MS) <= now => Err(Reject::EnvelopeExpired),
            Some(_) => Ok(()),
            // Mandatory keys of `bond/1`.
            None if bond.speaks(Profile::Bond) => Err(Reject::InvalidPayload),
            None => Ok(()),
        }
    }

    /// From here on the envelope counts as received, whatever it leads to.
    fn commit_arrival(
        &mut self,
        step: &Step,
        bond: &Bond,
        headers: &Headers,
        nonce: &[u8; NONCE_BYTES],
        thread_key: &str,
    ) -> Result<(), Reject> {
        self.ensure_thread(&bond.id, thread_key).map_err(|()| Reject::ThreadLimit)?;
        if let Some(thread) = self.state.threads.get_mut(thread_key) {
            thread.accepted = headers.seq;
        }
        self.remember_nonce(&bond.id, nonce, headers.sealed_at.unwrap_or(step.now));
        if let Some(bond) = self.state.bonds.get_mut(&bond.id) {
            bond.peer_seen_at = step.now;
        }
        Ok(())
    }

    fn accept(&mut self, step: &mut Step, bond: &Bond, received: Received, extras: &Extras) -> Result<(), Failure> {
        let Headers { id, thread, seq, .. } = received.headers.clone();
        let kind = received.kind;
        let verdict = self.dispatch(step, bond, received)?;
        if let Some(mid) = &extras.mid {
            let forget_at = extras.expires_at.unwrap_or(step.now).min(step.now + SEALED_LIFE_MS) + 10 * MINUTE_MS;
            let refused = verdict.as_ref().err().map(|reject| reject.code().to_owned());
            self.state.mids.put(format!("{}/{mid}", bond.id), SeenMid { forget_at, refused });
        }
        match verdict {
            Ok(()) => {
                if kind != Kind::CoreAck {
                    let facts = [("type", kind.name()), ("id", &id), ("thread", &thread)];
                    step.audit(&mut self.state, "envelope_accepted", Some(&bond.id), &facts)?;
                }
                if let Some(stored) = self.state.bonds.get_mut(&bond.id) {
                    stored.has_news |= !matches!(kind, Kind::CoreAck | Kind::BondHello | Kind::BondRevoked);
                }
                self.owe_ack(step, &bond.id, Some(kind), (&id, seq), None);
            }
            Err(reject) => self.refuse(step, &bond.id, (&id, kind.name(), &thread), reject)?,
        }
        Ok(())
    }

    /// Forgets message names that can no longer come again.
    pub(super) fn forget_mids(&mut self, now: u64) {
        let old: Vec<String> =
            self.state.mids.iter().filter(|(_, mid)| mid.forget_at <= now).map(|(key, _)| key.clone()).collect();
        for key in old {
            self.state.mids.remove(&key);
        }
    }
}

/// Whether the bond lets this kind in.
fn admit(bond: &Bond, kind: Kind) -> Result<(), Reject> {
    if matches!(kind, Kind::BondHello | Kind::BondRevoked | Kind::CoreAck) {
        return Ok(());
    }
    if matches!(bond.status, BondStatus::Held | BondStatus::Pending) {
        return Err(Reject::BondHeld);
    }
    let scope = if kind.is_negotiation() { Scope::Negotiate } else { Scope::Message };
    if kind == Kind::CoreClose || bond.allows(scope) { Ok(()) } else { Err(Reject::ScopeNotGranted) }
}

/// A name that a peer chose, or a word in its place if it could not be shown on one line.
fn presentable(text: &str) -> &str {
    if is_thread(text) { text } else { "(not printable)" }
}

/// 1 to 256 bytes without control or bidirectional characters.
fn is_thread(text: &str) -> bool {
    let is_bidi =
        |c: char| matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (1..=THREAD_BYTES).contains(&text.len()) && !text.chars().any(|c| c.is_control() || is_bidi(c))
}
