//! Pairings: from an invite or a code to a bond.
//!
//! ```text
//! initiator  Publishing -> Published -> Confirming -> Registering -> Concluding -> Over
//! joiner     Claiming -> Answering -> Deciding -> Agreeing -> Over
//! ```

use serde::{Deserialize, Serialize};

use super::Engine;
use super::calls::{Answer, Outcome, RETRY_CAP_MS, Request};
use super::feed::Event;
use super::network::Task;
use super::slot::Slot;
use super::step::Step;
use crate::base64url;
use crate::bond::Mode;
use crate::envelope::Profiles;
use crate::error::{Bug, Failure, Misuse, Reject};
use crate::identity::{AgentId, Domain, Keypair, Transcript};
use crate::limits::{INVITE_MS, MINUTE_MS, PAIR_SESSION_MS, SECOND_MS};
use crate::pairing::code::{Code, Form};
use crate::pairing::invite::{Invite, Proposal};
use crate::pairing::message::{PairMessage, slot_etag};
use crate::pairing::spake::{Role, Spake};
use crate::secret::{Secret, SecretText};
use crate::signed_blob::SignedBlob;

/// Other names are tried at once this often; then with pauses.
const REDRAWS_AT_ONCE: u32 = 6;

/// Where a pairing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    /// The invite goes to the relay.
    Publishing,
    /// The invite waits for a joiner.
    Published,
    /// The code is given up, the relay is told.
    Withdrawing,
    /// The keys agree; the joiner's human is awaited.
    Confirming,
    /// The inbox of the new bond goes to the relay.
    Registering,
    /// The last message goes to the slot.
    Concluding,
    /// The invite is asked for.
    Claiming,
    /// The initiator's confirmation is awaited.
    Answering,
    /// This side's human decides.
    Deciding,
    /// The initiator's last message is awaited.
    Agreeing,
    /// A last message tells the peer that it failed.
    Failing,
    /// Over.
    Over,
}

impl Stage {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Publishing => "publishing",
            Self::Published => "published",
            Self::Withdrawing => "withdrawing",
            Self::Confirming => "confirming",
            Self::Registering => "registering",
            Self::Concluding => "concluding",
            Self::Claiming => "claiming",
            Self::Answering => "answering",
            Self::Deciding => "deciding",
            Self::Agreeing => "agreeing",
            Self::Failing => "failing",
            Self::Over => "over",
        }
    }
}

/// A pairing. Its secrets are stored apart, and erased at its end.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Pairing {
    pub(super) id: String,
    pub(super) role: Role,
    pub(super) form: Form,
    pub(super) relay: String,
    pub(super) name: String,
    pub(super) session_id: String,
    pub(super) claim_id: String,
    pub(super) scope: Vec<String>,
    pub(super) mode: Mode,
    pub(super) petname: Option<String>,
    pub(super) created_at: u64,
    pub(super) expires_at: u64,
    pub(super) stage: Stage,
    pub(super) slot: Slot,
    pub(super) is_claimed: bool,
    /// SHA-256 of the one PAKE message that is believed, lowercase hex.
    pub(super) pinned: Option<String>,
    pub(super) own: AgentId,
    pub(super) own_profiles: Profiles,
    pub(super) peer: Option<Peer>,
    pub(super) bond: Option<String>,
    pub(super) outcome: Option<String>,
    /// Names tried before this one: they were taken.
    pub(super) redraws: u32,
}

/// The other side.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Peer {
    pub(super) id: AgentId,
    pub(super) profiles: Profiles,
}

/// The secrets of a pairing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PairingSecret {
    pub(super) password: SecretText,
    pub(super) identity: Secret<32>,
    pub(super) spake: Secret<32>,
    pub(super) key: Option<Secret<32>>,
}

impl Pairing {
    pub(super) fn is_over(&self) -> bool {
        self.stage == Stage::Over
    }
}

impl Engine {
    /// Makes an invite. It is published as soon as this process, or another one, is online.
    pub(super) fn new_invite(
        &mut self,
        step: &mut Step,
        form: Form,
        (scope, mode): (Vec<String>, Mode),
        relay: String,
        petname: Option<String>,
    ) -> Result<String, Bug> {
        let code = Code::draw(form, 2, &mut step.rng);
        let id = self.new_pairing(step, Role::Initiator, &code, relay, petname);
        let session_id = step.uuid();
        let pairing = self.state.pairings.get_mut(&id).ok_or(Bug::Invariant)?;
        (pairing.scope, pairing.mode, pairing.session_id) = (scope, mode, session_id);
        step.audit(&mut self.state, "invite_made", None, &[("pairing", &id)])?;
        Ok(id)
    }

    /// Begins to use a code.
    pub(super) fn new_join(
        &mut self,
        step: &mut Step,
        code: &Code,
        relay: String,
        petname: Option<String>,
    ) -> Result<String, Bug> {
        let id = self.new_pairing(step, Role::Joiner, code, relay, petname);
        let claim_id = step.id();
        self.state.pairings.get_mut(&id).ok_or(Bug::Invariant)?.claim_id = claim_id;
        step.audit(&mut self.state, "code_used", None, &[("pairing", &id)])?;
        Ok(id)
    }

    /// A pairing with an identity of its own, at its first stage.
    fn new_pairing(
        &mut self,
        step: &mut Step,
        role: Role,
        code: &Code,
        relay: String,
        petname: Option<String>,
    ) -> String {
        let id = step.id();
        let (stage, life_ms) = match role {
            Role::Initiator => (Stage::Publishing, INVITE_MS),
            Role::Joiner => (Stage::Claiming, PAIR_SESSION_MS),
        };
        let secret = PairingSecret {
            password: code.password().clone(),
            identity: Secret::new(step.bytes()),
            spake: Secret::new(step.bytes()),
            key: None,
        };
        let pairing = Pairing {
            id: id.clone(),
            role,
            form: code.form(),
            relay,
            name: code.name().to_owned(),
            session_id: String::new(),
            claim_id: String::new(),
            scope: Vec::new(),
            mode: Mode::Contact,
            petname,
            created_at: step.now,
            expires_at: step.now + life_ms,
            stage,
            slot: Slot::default(),
            is_claimed: false,
            pinned: None,
            own: Keypair::from_secret(&secret.identity).agent_id().clone(),
            own_profiles: Profiles::offered(),
            peer: None,
            bond: None,
            outcome: None,
            redraws: 0,
        };
        self.state.pairings.put(&*id, pairing);
        self.state.pairing_secrets.put(&*id, secret);
        id
    }

    pub(super) fn wanted_pairing_calls(&self) -> Vec<Task> {
        let wanted = |pairing: &Pairing| {
            let id = pairing.id.clone();
            match pairing.stage {
                Stage::Over | Stage::Registering => None,
                Stage::Publishing => Some(Task::Publish(id)),
                Stage::Withdrawing => Some(Task::Unpublish(id)),
                Stage::Claiming => Some(Task::Claim(id)),
                _ if pairing.slot.wants_write() => Some(Task::WriteSlot(id)),
                _ => Some(Task::ReadSlot(id)),
            }
        };
        self.state.pairings.values().filter_map(wanted).collect()
    }

    /// The first message of the key agreement: the same each time it is asked for.
    fn first_message(pairing: &Pairing, secret: &PairingSecret) -> Result<PairMessage, Reject> {
        let spake = Spake::start(pairing.role, &secret.password, &pairing.session_id, &secret.spake)?;
        Ok(PairMessage::Pake {
            payload: base64url::encode(spake.message()),
            role: pairing.role,
            fingerprint: None,
            agent_id: None,
            profiles: pairing.own_profiles.clone(),
        })
    }

    pub(super) fn publish_request(&mut self, id: &str) -> Result<Option<Request>, Bug> {
        let (Some(pairing), Some(secret)) = (self.state.pairings.get(id), self.state.pairing_secrets.get(id)) else {
            return Ok(None);
        };
        let key = Keypair::from_secret(&secret.identity);
        let pake = Self::first_message(pairing, secret).map_err(|_| Bug::Invariant)?.to_json();
        let invite = Invite {
            name: pairing.name.clone(),
            agent_id: pairing.own.clone(),
            session_id: pairing.session_id.clone(),
            proposal: Proposal {
                scope: pairing.scope.clone(),
                mode: pairing.mode.name().to_owned(),
                initiator_agent_id: pairing.own.as_str().to_owned(),
            },
            pake,
            expires_at: pairing.expires_at,
        };
        let body = invite.sign(&key).ok_or(Bug::Serialise)?.to_json();
        Ok(Some(Request::new(&pairing.relay, "PUT", format!("/invite/{}", pairing.name)).json(body)))
    }

    pub(super) fn on_published(&mut self, step: &mut Step, id: &str, answer: &Answer) -> Result<Outcome, Failure> {
        let Some(pairing) = self.state.pairings.get(id).filter(|p| p.stage == Stage::Publishing).cloned() else {
            return Ok(Outcome::Done);
        };
        match answer.status {
            201 => {
                let secret = self.state.pairing_secrets.get(id).ok_or(Bug::Invariant)?;
                let pake = Self::first_message(&pairing, secret).map_err(|_| Bug::Invariant)?.to_json();
                let stored = self.state.pairings.get_mut(id).ok_or(Bug::Invariant)?;
                stored.stage = Stage::Published;
                // The relay puts this message into the slot when the invite is claimed.
                stored.slot.saw(slot_etag(pake.as_bytes()));
                step.emit(&mut self.state, Event::InvitePublished { pairing: id.to_owned() })?;
                Ok(Outcome::Done)
            }
            409 => {
                let redraws = self.redraw(step, id)?;
                // Names are plenty: a relay that calls them all taken is not to be asked without a pause.
                Ok(if redraws <= REDRAWS_AT_ONCE {
                    Outcome::Done
                } else {
                    Outcome::Paused(step.now + (SECOND_MS << redraws.min(8)).min(RETRY_CAP_MS))
                })
            }
            _ => {
                let code = answer.code();
                self.end_pairing(step, id, if code == "nonsense" { "relay_has_no_invites" } else { &code }, None)?;
                Ok(Outcome::Done)
            }
        }
    }

    /// The name is taken: another name, another secret and another scalar, never one of them under two names.
    fn redraw(&mut self, step: &mut Step, id: &str) -> Result<u32, Failure> {
        let pairing = self.state.pairings.get_mut(id).ok_or(Bug::Invariant)?;
        pairing.redraws += 1;
        let redraws = pairing.redraws;
        let digits = 2 + pairing.redraws / 2;
        let code = Code::draw(pairing.form, digits, &mut step.rng);
        pairing.name = code.name().to_owned();
        pairing.session_id = step.uuid();
        let secret = self.state.pairing_secrets.get_mut(id).ok_or(Bug::Invariant)?;
        secret.password = code.password().clone();
        secret.spake = Secret::new(step.bytes());
        Ok(redraws)
    }

    pub(super) fn unpublish_request(&self, id: &str) -> Option<Request> {
        let (pairing, secret) = (self.state.pairings.get(id)?, self.state.pairing_secrets.get(id)?);
        let key = Keypair::from_secret(&secret.identity);
        let transcript = Transcript::new().raw(&pairing.name).raw([0]).raw(&pairing.session_id);
        let sig = base64url::encode(&key.sign_in(Domain::InviteDelete, &transcript));
        let path = format!("/invite/{}?session_id={}&sig={sig}", pairing.name, pairing.session_id);
        Some(Request::new(&pairing.relay, "DELETE", path))
    }

    /// Whatever the relay says, the code is dead here: nothing would be done with an answer to it.
    pub(super) fn on_unpublished(&mut self, id: &str, _answer: &Answer) -> Outcome {
        if let Some(pairing) = self.state.pairings.get_mut(id) {
            pairing.stage = Stage::Over;
        }
        self.state.pairing_secrets.remove(id);
        Outcome::Done
    }

    pub(super) fn claim_request(&self, id: &str) -> Option<Request> {
        let pairing = self.state.pairings.get(id)?;
        let body = format!("{{\"claim_id\":\"{}\"}}", pairing.claim_id);
        Some(Request::new(&pairing.relay, "POST", format!("/invite/{}/claim", pairing.name)).json(body))
    }

    pub(super) fn on_claimed(&mut self, step: &mut Step, id: &str, answer: &Answer) -> Result<Outcome, Failure> {
        if self.state.pairings.get(id).is_none_or(|p| p.stage != Stage::Claiming) {
            return Ok(Outcome::Done);
        }
        if answer.status != 200 {
            self.end_pairing(step, id, &answer.code(), None)?;
            return Ok(Outcome::Done);
        }
        match self.answer_invite(step, id, &answer.body) {
            Ok(()) => {}
            Err(Answering::Invalid) => self.end_pairing(step, id, "invalid_invite", None)?,
            Err(Answering::Failed(failure)) => return Err(failure),
        }
        Ok(Outcome::Done)
    }

    /// Verifies the invite, agrees on a key, and puts our message into the slot. From here on the code is spent.
    fn answer_invite(&mut self, step: &mut Step, id: &str, body: &str) -> Result<(), Answering> {
        let signed = SignedBlob::read(body.as_bytes()).map_err(|_| Answering::Invalid)?;
        let invite = Invite::verify(&signed).map_err(|_| Answering::Invalid)?;
        let pairing = self.state.pairings.get_mut(id).ok_or(Bug::Invariant)?;
        let Some(PairMessage::Pake { payload, role: Role::Initiator, profiles, .. }) =
            PairMessage::read(invite.pake.as_bytes())
        else {
            return Err(Answering::Invalid);
        };
        let mode = Mode::parse(&invite.proposal.mode).ok_or(Answering::Invalid)?;
        if invite.name != pairing.name || invite.agent_id == pairing.own || !is_scope(&invite.proposal.scope) {
            return Err(Answering::Invalid);
        }
        pairing.session_id.clone_from(&invite.session_id);
        pairing.scope = invite.proposal.scope;
        pairing.mode = mode;
        pairing.expires_at = step.now + PAIR_SESSION_MS;
        pairing.is_claimed = true;
        pairing.peer = Some(Peer { id: invite.agent_id, profiles });
        let secret = self.state.pairing_secrets.get_mut(id).ok_or(Bug::Invariant)?;
        let message = base64url::decode(&payload).map_err(|_| Answering::Invalid)?;
        let spake = Spake::start(Role::Joiner, &secret.password, &pairing.session_id, &secret.spake)
            .map_err(|_| Answering::Invalid)?;
        let payload = base64url::encode(spake.message());
        let key = spake.finish(&message).map_err(|_| Answering::Invalid)?;
        secret.key = Some(key.clone());
        let answer = PairMessage::Pake {
            payload,
            role: Role::Joiner,
            fingerprint: Some(hex::encode(pairing.fingerprint(&key).ok_or(Bug::Invariant)?)),
            agent_id: Some(pairing.own.as_str().to_owned()),
            profiles: pairing.own_profiles.clone(),
        };
        pairing.slot.post(answer.to_json(), Some(slot_etag(invite.pake.as_bytes())));
        pairing.stage = Stage::Answering;
        Ok(())
    }

    /// Ends a pairing and erases its secrets.
    pub(super) fn end_pairing(
        &mut self,
        step: &mut Step,
        id: &str,
        outcome: &str,
        replaced_by: Option<String>,
    ) -> Result<(), Failure> {
        let Some(pairing) = self.state.pairings.get_mut(id).filter(|p| p.outcome.is_none()) else {
            return Ok(());
        };
        pairing.outcome = Some(outcome.to_owned());
        if pairing.stage != Stage::Failing && pairing.stage != Stage::Withdrawing {
            pairing.stage = Stage::Over;
            self.state.pairing_secrets.remove(id);
        }
        self.withdraw_pendings(
            step,
            |subject| matches!(subject, crate::gate::Subject::Join { pairing } if pairing == id),
        )?;
        step.audit(&mut self.state, "pairing_ended", None, &[("pairing", id), ("outcome", outcome)])?;
        let event = Event::PairingEnded { pairing: id.to_owned(), outcome: outcome.to_owned(), replaced_by };
        Ok(step.emit(&mut self.state, event)?)
    }

    /// Gives a pairing up at the owner's wish.
    pub(super) fn cancel_pairing(&mut self, step: &mut Step, id: &str) -> Result<(), Failure> {
        let pairing = self.state.pairings.get_mut(id).ok_or(crate::error::Refusal::PairNotFound)?;
        match pairing.stage {
            Stage::Over | Stage::Failing | Stage::Withdrawing => return Ok(()),
            Stage::Publishing | Stage::Published => pairing.stage = Stage::Withdrawing,
            Stage::Registering | Stage::Concluding => return Err(Misuse::InvalidArgument.into()),
            Stage::Claiming => {}
            Stage::Confirming | Stage::Answering | Stage::Deciding | Stage::Agreeing => {
                return self.fail_pairing(
                    step,
                    id,
                    &PairMessage::Reject { reason: "cancelled".to_owned() },
                    "withdrawn",
                );
            }
        }
        self.end_pairing(step, id, "withdrawn", None)
    }

    /// Ends a pairing with a last message to the peer. The secrets are erased before it leaves.
    pub(super) fn fail_pairing(
        &mut self,
        step: &mut Step,
        id: &str,
        message: &PairMessage,
        outcome: &str,
    ) -> Result<(), Failure> {
        let pairing = self.state.pairings.get_mut(id).ok_or(Bug::Invariant)?;
        let consumed = pairing.slot.seen().map(str::to_owned);
        pairing.slot.post(message.to_json(), consumed);
        pairing.stage = Stage::Failing;
        self.state.pairing_secrets.remove(id);
        self.end_pairing(step, id, outcome, None)
    }

    /// Lets pairings run out. Those long over are forgotten.
    pub(super) fn tend_pairings(&mut self, step: &mut Step) -> Result<(), Failure> {
        const KEPT_MS: u64 = 60 * MINUTE_MS;
        let late: Vec<(String, Stage)> = self
            .state
            .pairings
            .values()
            .filter(|p| p.outcome.is_none() && p.expires_at + pairing_grace(p.stage) <= step.now)
            .map(|p| (p.id.clone(), p.stage))
            .collect();
        for (id, stage) in late {
            match stage {
                Stage::Publishing | Stage::Published => self.end_pairing(step, &id, "invite_expired", None)?,
                // The bond exists: it completes, or fails, by itself.
                Stage::Registering | Stage::Concluding => self.end_pairing(step, &id, "bonded", None)?,
                _ => self.end_pairing(step, &id, "pair_session_lost", None)?,
            }
        }
        let old = |p: &&Pairing| p.outcome.is_some() && p.created_at.max(p.expires_at) + KEPT_MS <= step.now;
        let old: Vec<String> = self.state.pairings.values().filter(old).map(|p| p.id.clone()).collect();
        for id in old {
            self.state.pairings.remove(&id);
            self.state.pairing_secrets.remove(&id);
        }
        Ok(())
    }
}

/// What the relay's clock may differ from ours before a pairing is given up here.
pub(super) fn pairing_grace(stage: Stage) -> u64 {
    match stage {
        Stage::Publishing | Stage::Published => PAIR_SESSION_MS,
        _ => MINUTE_MS,
    }
}

/// Why an invite was not answered.
enum Answering {
    /// It is not what it should be.
    Invalid,
    /// Our own fault.
    Failed(Failure),
}

impl From<Bug> for Answering {
    fn from(bug: Bug) -> Self {
        Self::Failed(bug.into())
    }
}

/// Words of a scope: at most 16 short lowercase words.
pub(super) fn is_scope(words: &[String]) -> bool {
    let is_word = |word: &String| {
        (1..=32).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_' || b == b'-')
    };
    words.len() <= 16 && words.iter().all(is_word)
}
