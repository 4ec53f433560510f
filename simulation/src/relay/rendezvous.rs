//! Invites and pairing slots.

use std::collections::BTreeMap;

use agentpair_protocol::base64url;
use agentpair_protocol::identity::{AgentId, Domain, Transcript};
use agentpair_protocol::json::FlatObject;
use agentpair_protocol::pairing;
use agentpair_protocol::signed_blob::SignedBlob;
use agentpair_relay::answer::Answer;
use agentpair_relay::clock::Now;
use agentpair_relay::hash::{etag, sha256};
use agentpair_relay::invite::decide::{self as invite, Claim, Offer, Phase as InvitePhase, Publication, Record};
use agentpair_relay::pair::decide::{self as pair, Look, Phase};
use agentpair_relay::problem::Problem;

use super::{Relay, Request, Response};

/// A pairing slot with its message.
#[derive(Debug)]
pub(super) struct Slot {
    view: pair::Slot,
    message: Vec<u8>,
}

/// A published invite.
#[derive(Debug)]
pub(super) struct Invite {
    record: Record,
    agent_id: String,
    session_id: String,
    pake: String,
    signed: String,
}

impl Relay {
    pub(super) fn publish(&mut self, name: &str, body: &[u8], now: Now) -> Result<Answer, Problem> {
        let parsed = pairing::invite::Invite::open(body).map_err(Problem::from)?;
        if parsed.name != name {
            return Err(Problem::INVALID_INVITE);
        }
        let signed = SignedBlob::read(body).map_err(|_| Problem::INTERNAL)?.to_json();
        let offer = Offer { digest: sha256(signed.as_bytes()), expires_at: parsed.expires_at };
        let held = self.invites.get(name).map(|invite| &invite.record);
        let decided = invite::publish(invite::phase(held, now, &self.limits), offer, now, &self.limits)?;
        if let Publication::Publish { expires_at } = decided {
            let record = Record { digest: offer.digest, expires_at, withdrawn_at: None, claim_id: None, refused: 0 };
            let invite = Invite {
                record,
                agent_id: parsed.agent_id.as_str().to_owned(),
                session_id: parsed.session_id,
                pake: parsed.pake,
                signed,
            };
            self.invites.insert(name.to_owned(), invite);
        }
        Ok(Answer { status: 201, ..Answer::no_content() })
    }

    pub(super) fn claim(&mut self, name: &str, body: &[u8], now: Now) -> Result<Answer, Problem> {
        let claim_id = FlatObject::parse(body).ok().and_then(|object| object.text("claim_id").map(str::to_owned));
        let is_id = |id: &String| base64url::decode_array::<16>(id).is_ok();
        let claim_id = claim_id.filter(is_id).ok_or(Problem::INVALID_CLAIM)?;
        let held = self.invites.get(name).map(|invite| &invite.record);
        let decided = invite::claim(invite::phase(held, now, &self.limits), &claim_id, &self.limits)?;
        let invite = self.invites.get_mut(name).ok_or(Problem::INTERNAL)?;
        match decided {
            Claim::First => invite.record.claim_id = Some(claim_id),
            Claim::Again => {}
            Claim::RefuseAndCount => {
                invite.record.refused += 1;
                return Err(Problem::INVITE_CLAIMED);
            }
            Claim::Refuse => return Err(Problem::INVITE_CLAIMED),
        }
        let (session, pake) = (invite.session_id.clone(), invite.pake.clone().into_bytes());
        let answer = Answer::json_text(200, invite.signed.clone().into_bytes());
        let slot = self.slots.get(&session).map(|slot| &slot.view);
        if pair::phase(slot, now, &self.limits) == Phase::Absent {
            self.put(&session, None, pake, now)?;
        }
        Ok(answer)
    }

    pub(super) fn withdraw(&mut self, name: &str, sig: Option<&str>, now: Now) -> Result<Answer, Problem> {
        let sig = sig.ok_or(Problem::INVALID_SIGNATURE)?;
        let invite = self.invites.get_mut(name).ok_or(Problem::INVALID_SIGNATURE)?;
        let phase = invite::phase(Some(&invite.record), now, &self.limits);
        let signed = Transcript::new().raw(name).raw(b"\0").raw(&invite.session_id);
        let is_ours = AgentId::parse(&invite.agent_id).is_ok_and(|agent| {
            base64url::decode(sig).is_ok_and(|sig| agent.verify_in(Domain::InviteDelete, &signed, &sig).is_ok())
        });
        if phase == InvitePhase::Absent || !is_ours {
            return Err(Problem::INVALID_SIGNATURE);
        }
        if matches!(phase, InvitePhase::Open(_) | InvitePhase::Claimed(_)) {
            invite.record.withdrawn_at = Some(now.ms);
        }
        Ok(Answer::no_content())
    }

    fn put(&mut self, session: &str, condition: Option<&str>, message: Vec<u8>, now: Now) -> Result<Answer, Problem> {
        let held = self.slots.get(session).map(|slot| &slot.view);
        let phase = pair::phase(held, now, &self.limits);
        let put = pair::post(phase, condition, message.len() as u64, now, &self.limits)?;
        let tag = etag(&message);
        let view = pair::Slot { etag: tag.clone(), expires_at: put.expires_at };
        self.slots.insert(session.to_owned(), Slot { view, message });
        Ok(Answer::no_content().with_etag(&tag))
    }

    pub(super) fn write(&mut self, session: &str, request: &Request, now: Now) -> Result<Answer, Problem> {
        if !pairing::invite::is_session_id(session) {
            return Err(Problem::INVALID_SESSION_ID);
        }
        if serde_json::from_slice::<serde_json::Value>(&request.body).is_err() {
            return Err(Problem::INVALID_JSON);
        }
        let condition = request.headers.iter().find(|(name, _)| name == "if-match").map(|(_, value)| value.clone());
        self.put(session, condition.as_deref(), request.body.clone(), now)
    }

    /// Reads a slot, or says for how long to wait for something new in it.
    pub(super) fn look(&self, session: &str, query: &BTreeMap<&str, &str>, now: Now) -> Response {
        let slot = self.slots.get(session);
        let view = slot.map(|slot| &slot.view);
        let wait = pair::wait_ms(query.get("wait").copied(), &self.limits);
        match (pair::look(pair::phase(view, now, &self.limits), query.get("not").copied()), slot) {
            (Err(problem), _) => Response::Now(problem.into()),
            (Ok(Look::Message), Some(slot)) => {
                let answer = Answer::json_text(200, slot.message.clone()).with_etag(&slot.view.etag);
                Response::Now(answer)
            }
            (Ok(_), _) if wait > 0 => Response::Hold(wait),
            (Ok(Look::Unchanged), Some(slot)) => Response::Now(Answer::not_modified(&slot.view.etag)),
            (Ok(_), _) => Response::Now(Problem::PAIR_NOT_FOUND.into()),
        }
    }

    /// Puts anything at all into every slot: what a hostile relay can do.
    pub fn overwrite_slots(&mut self, message: &[u8]) {
        for slot in self.slots.values_mut() {
            slot.view.etag = etag(message);
            slot.message = message.to_vec();
        }
    }

    /// Forgets who claimed what: the code is offered again.
    pub fn offer_again(&mut self) {
        for invite in self.invites.values_mut() {
            invite.record.claim_id = None;
        }
    }
}
