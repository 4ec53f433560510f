//! The pairing slot: one message at a time, the last write wins. We read before we write again, and never write over a
//! message newer than the one we answer.

use serde::{Deserialize, Serialize};

use super::Engine;
use super::calls::{Answer, LONG_POLL_MS, Outcome, Request};
use super::feed::Event;
use super::pairing::{Pairing, Peer, Stage};
use super::step::Step;
use crate::artifact::sha256_hex;
use crate::base64url;
use crate::envelope::{Profile, Profiles};
use crate::error::{Bug, Failure};
use crate::identity::{AgentId, Keypair};
use crate::limits::{PAIR_SESSION_MS, SECOND_MS};
use crate::pairing::code::Form;
use crate::pairing::confirm::{self, Parties};
use crate::pairing::message::{PairMessage, slot_etag};
use crate::pairing::spake::{Role, Spake};
use crate::secret::Secret;

/// How long the relay may hold a read.
const WAIT_S: u64 = 25;
/// Between two requests that a relay answers at once without anything new.
const PAUSE_MS: u64 = 250;

/// What we know of the slot.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Slot {
    /// Entity tag of the newest content known.
    seen: Option<String>,
    /// A message to be written.
    post: Option<String>,
    /// Entity tag of the message that it answers.
    answers: Option<String>,
    /// A write was refused because the content is another: read before anything else.
    is_contested: bool,
}

impl Slot {
    /// A message of the peer led on: what was still to be written is answered, or overtaken.
    pub(super) fn saw(&mut self, etag: String) {
        *self = Self { seen: Some(etag), ..Self::default() };
    }

    pub(super) fn seen(&self) -> Option<&str> {
        self.seen.as_deref()
    }

    pub(super) fn post(&mut self, message: String, answers: Option<String>) {
        self.post = Some(message);
        self.answers = answers;
        self.is_contested = false;
    }

    pub(super) fn wants_write(&self) -> bool {
        self.post.is_some() && !self.is_contested
    }

    fn written(&mut self) {
        if let Some(message) = self.post.take() {
            self.seen = Some(slot_etag(message.as_bytes()));
        }
        self.is_contested = false;
    }
}

impl Pairing {
    /// Both sides in the order of the fingerprint.
    pub(super) fn fingerprint(&self, key: &Secret<32>) -> Option<[u8; 32]> {
        let peer = self.peer.as_ref()?;
        let own = (self.own.as_str(), &self.own_profiles);
        let other = (peer.id.as_str(), &peer.profiles);
        let (initiator, joiner) = match self.role {
            Role::Initiator => (own, other),
            Role::Joiner => (other, own),
        };
        Some(confirm::fingerprint(
            key,
            Parties {
                initiator: initiator.0,
                joiner: joiner.0,
                initiator_profiles: initiator.1,
                joiner_profiles: joiner.1,
            },
        ))
    }

    /// What both sides speak.
    pub(super) fn contract(&self) -> Option<Profiles> {
        Some(self.own_profiles.intersect(&self.peer.as_ref()?.profiles))
    }

    /// Without `bond/1` nobody would have to prove an id, and the bond nothing that binds its envelopes.
    fn is_sound(&self) -> bool {
        self.contract().is_some_and(|contract| contract.has(Profile::Core) && contract.has(Profile::Bond))
    }
}

impl Engine {
    pub(super) fn read_slot_request(&self, id: &str) -> Option<Request> {
        let pairing = self.state.pairings.get(id)?;
        let mut path = format!("/pair/{}", pairing.session_id);
        match &pairing.slot.seen {
            Some(seen) if !pairing.slot.is_contested => path.push_str(&format!("?wait={WAIT_S}&not={seen}")),
            _ => {}
        }
        Some(Request::new(&pairing.relay, "GET", path).within(LONG_POLL_MS))
    }

    pub(super) fn write_slot_request(&self, id: &str) -> Option<Request> {
        let pairing = self.state.pairings.get(id)?;
        let message = pairing.slot.post.clone()?;
        let request = Request::new(&pairing.relay, "POST", format!("/pair/{}", pairing.session_id)).json(message);
        Some(match &pairing.slot.answers {
            Some(etag) => request.header("if-match", format!("\"{etag}\"")),
            None => request,
        })
    }

    pub(super) fn on_slot_written(&mut self, step: &mut Step, id: &str, answer: &Answer) -> Result<Outcome, Failure> {
        let Some(pairing) = self.state.pairings.get_mut(id).filter(|p| p.slot.post.is_some()) else {
            return Ok(Outcome::Done);
        };
        match answer.status {
            204 => {
                pairing.slot.written();
                self.after_write(step, id)?;
                Ok(Outcome::Done)
            }
            412 => {
                pairing.slot.is_contested = true;
                Ok(Outcome::Paused(step.now + PAUSE_MS))
            }
            404 | 410 => {
                self.slot_lost(step, id)?;
                Ok(Outcome::Done)
            }
            _ => Ok(Outcome::Failed(answer.code())),
        }
    }

    /// A message of ours is in the slot.
    fn after_write(&mut self, step: &mut Step, id: &str) -> Result<(), Failure> {
        let pairing = self.state.pairings.get_mut(id).ok_or(Bug::Invariant)?;
        match pairing.stage {
            Stage::Failing => pairing.stage = Stage::Over,
            Stage::Concluding => {
                let bond = pairing.bond.clone().ok_or(Bug::Invariant)?;
                self.end_pairing(step, id, "bonded", None)?;
                self.paired(step, &bond)?;
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn on_slot_read(&mut self, step: &mut Step, id: &str, answer: &Answer) -> Result<Outcome, Failure> {
        let Some(pairing) = self.state.pairings.get_mut(id).filter(|p| !p.is_over()) else {
            return Ok(Outcome::Done);
        };
        match answer.status {
            // The session exists: somebody claimed the invite.
            304 => {
                self.note_claim(step, id)?;
                // The relay has held the read; one that does not must not be asked without a pause.
                Ok(Outcome::Paused(step.now + PAUSE_MS))
            }
            200 => {
                let content = answer.body.as_bytes();
                let etag = slot_etag(content);
                // Our own message: the answer to its write is lost, or comes later than that to a read that waited.
                if pairing.slot.post.as_deref() == Some(&answer.body) {
                    pairing.slot.written();
                    self.after_write(step, id)?;
                    return Ok(Outcome::Done);
                }
                if pairing.slot.is_contested && pairing.slot.answers.as_deref() == Some(&etag) {
                    pairing.slot.is_contested = false;
                    return Ok(Outcome::Done);
                }
                if pairing.slot.seen.as_deref() == Some(&etag) && !pairing.slot.is_contested {
                    // Relays of the draft do not hold the read.
                    self.note_claim(step, id)?;
                    return Ok(Outcome::Paused(step.now + SECOND_MS));
                }
                self.note_claim(step, id)?;
                let is_progress = self.on_slot_message(step, id, content, etag)?;
                Ok(if is_progress { Outcome::Done } else { Outcome::Paused(step.now + SECOND_MS) })
            }
            // Not claimed yet. Our relay has held the read; others answer at once.
            404 if pairing.role == Role::Initiator && !pairing.is_claimed => Ok(Outcome::Paused(step.now + SECOND_MS)),
            404 | 410 => {
                self.slot_lost(step, id)?;
                Ok(Outcome::Done)
            }
            _ => Ok(Outcome::Failed(answer.code())),
        }
    }

    fn note_claim(&mut self, step: &mut Step, id: &str) -> Result<(), Failure> {
        let pairing = self.state.pairings.get_mut(id).ok_or(Bug::Invariant)?;
        if pairing.is_claimed || pairing.stage != Stage::Published {
            return Ok(());
        }
        pairing.is_claimed = true;
        pairing.expires_at = step.now + PAIR_SESSION_MS;
        Ok(step.emit(&mut self.state, Event::InviteClaimed { pairing: id.to_owned() })?)
    }

    /// The session ended before the pairing did.
    fn slot_lost(&mut self, step: &mut Step, id: &str) -> Result<(), Failure> {
        let pairing = self.state.pairings.get(id).cloned().ok_or(Bug::Invariant)?;
        match pairing.stage {
            // The peer could not be told; it will see its own session end.
            Stage::Failing => {
                if let Some(pairing) = self.state.pairings.get_mut(id) {
                    pairing.stage = Stage::Over;
                }
                Ok(())
            }
            // The bond is made on this side; the peer's first word decides whether it lives.
            Stage::Registering | Stage::Concluding => self.end_pairing(step, id, "bonded", None),
            // A stranger claimed a spoken name and had nothing to say: a link cannot be guessed.
            Stage::Published if pairing.is_claimed && pairing.form != Form::Link => {
                let next =
                    self.new_invite(step, Form::Link, (pairing.scope, pairing.mode), pairing.relay, pairing.petname)?;
                self.end_pairing(step, id, "claimed_by_stranger", Some(next))
            }
            _ => self.end_pairing(step, id, "pair_session_lost", None),
        }
    }

    /// A message of the peer. Whether it led anywhere; another one is ignored.
    fn on_slot_message(&mut self, step: &mut Step, id: &str, content: &[u8], etag: String) -> Result<bool, Failure> {
        let pairing = self.state.pairings.get(id).cloned().ok_or(Bug::Invariant)?;
        let message = PairMessage::read(content);
        match (pairing.stage, message) {
            (Stage::Failing, _) => {
                // The peer wrote meanwhile: ours goes after its message.
                if let Some(pairing) = self.state.pairings.get_mut(id) {
                    let post = pairing.slot.post.clone().unwrap_or_default();
                    pairing.slot.post(post, Some(etag));
                }
                return Ok(true);
            }
            // This side has made the bond. The slot is the relay's: the peer's first word decides whether the bond lives.
            (Stage::Registering | Stage::Concluding, Some(PairMessage::BondFail {} | PairMessage::Reject { .. })) => {
                self.end_pairing(step, id, "bonded", None)?;
            }
            (_, Some(PairMessage::BondFail {})) => {
                let outcome = if pairing.stage == Stage::Deciding { "bond_aborted" } else { "pake_failed" };
                self.end_pairing(step, id, outcome, None)?;
            }
            (_, Some(PairMessage::Reject { .. })) => self.end_pairing(step, id, "rejected", None)?,
            (
                Stage::Published,
                Some(PairMessage::Pake { payload, role: Role::Joiner, fingerprint, agent_id, profiles }),
            ) => {
                self.saw(id, etag);
                let claim = Claim { payload, fingerprint, agent_id, profiles, pin: sha256_hex(content) };
                match self.check_joiner(id, &claim)? {
                    true => self.confirm(id)?,
                    false => self.fail_pairing(step, id, &PairMessage::BondFail {}, "pake_failed")?,
                }
            }
            // Anything else in answer to an invite is a guess, and it was the only one.
            (Stage::Published, _) => {
                self.saw(id, etag);
                self.fail_pairing(step, id, &PairMessage::BondFail {}, "pake_failed")?;
            }
            (Stage::Answering, Some(PairMessage::Confirm { fingerprint, agent_id, proof })) => {
                self.saw(id, etag);
                if self.check_confirm(&pairing, &fingerprint, &agent_id, proof.as_deref())? {
                    let stored = self.state.pairings.get_mut(id).ok_or(Bug::Invariant)?;
                    stored.stage = Stage::Deciding;
                    self.ask_join(step, id)?;
                } else {
                    self.fail_pairing(step, id, &PairMessage::BondFail {}, "pake_failed")?;
                }
            }
            (Stage::Confirming | Stage::Agreeing, Some(PairMessage::BondOk { agent_id, tag, proof })) => {
                self.saw(id, etag);
                if !self.check_bond_ok(&pairing, &agent_id, &tag, proof.as_deref())? {
                    self.fail_pairing(step, id, &PairMessage::BondFail {}, "bond_tag_mismatch")?;
                } else {
                    let bond = self.new_bond(step, id)?;
                    if pairing.stage == Stage::Confirming {
                        let stored = self.state.pairings.get_mut(id).ok_or(Bug::Invariant)?;
                        stored.stage = Stage::Registering;
                    } else {
                        self.end_pairing(step, id, "bonded", None)?;
                        self.paired(step, &bond)?;
                    }
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn saw(&mut self, id: &str, etag: String) {
        if let Some(pairing) = self.state.pairings.get_mut(id) {
            pairing.slot.saw(etag);
        }
    }

    /// The initiator's side of the key agreement. The peer's message is pinned, and the secret used up, whatever comes of it.
    fn check_joiner(&mut self, id: &str, claim: &Claim) -> Result<bool, Failure> {
        let pairing = self.state.pairings.get_mut(id).ok_or(Bug::Invariant)?;
        let secret = self.state.pairing_secrets.get_mut(id).ok_or(Bug::Invariant)?;
        pairing.pinned = Some(claim.pin.clone());
        let spake = Spake::start(Role::Initiator, &secret.password, &pairing.session_id, &secret.spake)
            .map_err(|_| Bug::Invariant)?;
        let joiner = claim.agent_id.as_deref().and_then(|id| AgentId::parse(id).ok());
        let message = base64url::decode(&claim.payload).ok();
        let (Some(joiner), Some(message), Some(fingerprint)) = (joiner, message, &claim.fingerprint) else {
            return Ok(false);
        };
        let Ok(key) = spake.finish(&message) else {
            return Ok(false);
        };
        if joiner == pairing.own {
            return Ok(false);
        }
        pairing.peer = Some(Peer { id: joiner, profiles: claim.profiles.clone() });
        let is_equal = pairing.fingerprint(&key).is_some_and(|own| confirm::hex_equals(fingerprint, &own));
        secret.key = Some(key);
        Ok(is_equal && pairing.is_sound())
    }

    /// Tells the joiner that the fingerprints are equal.
    fn confirm(&mut self, id: &str) -> Result<(), Failure> {
        let pairing = self.state.pairings.get_mut(id).ok_or(Bug::Invariant)?;
        let secret = self.state.pairing_secrets.get(id).ok_or(Bug::Invariant)?;
        let key = secret.key.as_ref().ok_or(Bug::Invariant)?;
        let fingerprint = pairing.fingerprint(key).ok_or(Bug::Invariant)?;
        let identity = Keypair::from_secret(&secret.identity);
        let message = PairMessage::Confirm {
            fingerprint: hex::encode(fingerprint),
            agent_id: pairing.own.as_str().to_owned(),
            proof: Some(confirm::proof(Role::Initiator, &identity, &fingerprint)),
        };
        let answers = pairing.slot.seen.clone();
        pairing.slot.post(message.to_json(), answers);
        pairing.stage = Stage::Confirming;
        Ok(())
    }

    fn check_confirm(
        &self,
        pairing: &Pairing,
        fingerprint: &str,
        agent_id: &str,
        proof: Option<&str>,
    ) -> Result<bool, Bug> {
        let key = self.pairing_key(&pairing.id)?;
        let peer = pairing.peer.as_ref().ok_or(Bug::Invariant)?;
        let own = pairing.fingerprint(&key).ok_or(Bug::Invariant)?;
        Ok(agent_id == peer.id.as_str()
            && confirm::hex_equals(fingerprint, &own)
            && pairing.is_sound()
            && proof.is_some_and(|proof| confirm::proof_holds(Role::Initiator, &peer.id, &own, proof)))
    }

    fn check_bond_ok(&self, pairing: &Pairing, agent_id: &str, tag: &str, proof: Option<&str>) -> Result<bool, Bug> {
        let key = self.pairing_key(&pairing.id)?;
        let peer = pairing.peer.as_ref().ok_or(Bug::Invariant)?;
        let fingerprint = pairing.fingerprint(&key).ok_or(Bug::Invariant)?;
        let role = match pairing.role {
            Role::Initiator => Role::Joiner,
            Role::Joiner => Role::Initiator,
        };
        Ok(agent_id == peer.id.as_str()
            && confirm::hex_equals(tag, &confirm::bond_tag(&key, agent_id))
            && proof.is_some_and(|proof| confirm::proof_holds(role, &peer.id, &fingerprint, proof)))
    }

    fn pairing_key(&self, id: &str) -> Result<Secret<32>, Bug> {
        self.state.pairing_secrets.get(id).and_then(|secret| secret.key.clone()).ok_or(Bug::Invariant)
    }

    /// Puts our `bond_ok` into the slot: the joiner after its human's approval, the initiator once its inbox is registered.
    pub(super) fn post_bond_ok(&mut self, id: &str, stage: Stage) -> Result<(), Failure> {
        let key = self.pairing_key(id)?;
        let pairing = self.state.pairings.get_mut(id).ok_or(Bug::Invariant)?;
        let secret = self.state.pairing_secrets.get(id).ok_or(Bug::Invariant)?;
        let fingerprint = pairing.fingerprint(&key).ok_or(Bug::Invariant)?;
        let identity = Keypair::from_secret(&secret.identity);
        let message = PairMessage::BondOk {
            agent_id: pairing.own.as_str().to_owned(),
            tag: hex::encode(confirm::bond_tag(&key, pairing.own.as_str())),
            proof: Some(confirm::proof(pairing.role, &identity, &fingerprint)),
        };
        let answers = pairing.slot.seen.clone();
        pairing.slot.post(message.to_json(), answers);
        pairing.stage = stage;
        Ok(())
    }
}

/// What a joiner's message claims.
struct Claim {
    payload: String,
    fingerprint: Option<String>,
    agent_id: Option<String>,
    profiles: Profiles,
    pin: String,
}
