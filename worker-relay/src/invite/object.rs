//! The Durable Object of a published invite.

use agentpair_protocol::base64url;
use agentpair_protocol::identity::{AgentId, Domain, Transcript};
use worker::{
    DurableObject, Env, Error, Request, Response, Result, State, WebSocket, WebSocketIncomingMessage, durable_object,
};

use super::call::Call;
use super::decide::{Claim, Offer, Phase, Publication, Record, claim, phase, publish, state};
use super::store::{Publish, Store};
use crate::answer::Answer;
use crate::edge::{Class, Config, Failure, alarm_time, from_object, now};
use crate::frame;
use crate::hash::parse_sha256;
use crate::inbox::call::Permit;
use crate::limits::Limits;
use crate::pair::call::Call as PairCall;
use crate::problem::Problem;

/// One rendezvous name.
#[durable_object]
pub struct Invite {
    state: State,
    env: Env,
    limits: Limits,
}

impl DurableObject for Invite {
    fn new(state: State, env: Env) -> Self {
        let limits = Config::of(&env).map(|config| config.limits.clone()).unwrap_or_default();
        Self { state, env, limits }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        let body = request.bytes().await?;
        from_object(self.answer(&body).await)
    }

    /// At the end: erases what was signed. After the tombstone: erases all.
    async fn alarm(&self) -> Result<Response> {
        let now = now();
        let store = self.store();
        let record = store.record()?;
        match (phase(record.as_ref(), now, &self.limits), &record) {
            (Phase::Open(record) | Phase::Claimed(record), _) => self.arm(record.expires_at).await?,
            (Phase::Ended(record), _) => {
                store.erase_text()?;
                self.arm(self.forget_at(record)).await?;
            }
            (Phase::Absent, Some(_)) => self.state.storage().delete_all().await?,
            (Phase::Absent, None) => {}
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
        Err(Error::from("an invite takes no TCP connections"))
    }
}

impl Invite {
    async fn answer(&self, body: &[u8]) -> Result<Answer, Failure> {
        let (call, bytes) = frame::split(body)?;
        match call {
            Call::Publish { digest, agent_id, session_id, pake, expires_at } => {
                let digest = parse_sha256(&digest).ok_or(Problem::INTERNAL)?;
                let offer = Offer { digest, expires_at };
                self.publish(
                    offer,
                    &Publish { agent_id: &agent_id, session_id: &session_id, pake: &pake, signed: bytes },
                )
                .await
            }
            Call::Claim { claim_id } => self.claim(&claim_id).await,
            Call::Status { permit, sig } => self.status(&permit, &sig),
            Call::Withdraw { name, sig } => self.withdraw(&name, &sig).await,
        }
    }

    async fn publish(&self, offer: Offer, text: &Publish<'_>) -> Result<Answer, Failure> {
        let now = now();
        let store = self.store();
        let record = store.record()?;
        if let Publication::Publish { expires_at } =
            publish(phase(record.as_ref(), now, &self.limits), offer, now, &self.limits)?
        {
            store.publish(&offer.digest, expires_at, text)?;
            self.arm(expires_at).await?;
        }
        Ok(Answer { status: 201, ..Answer::no_content() })
    }

    /// Marks, then opens the session, then answers: whatever is lost on the way, the same claim can ask again.
    async fn claim(&self, claim_id: &str) -> Result<Answer, Failure> {
        let store = self.store();
        let record = store.record()?;
        let outcome = claim(phase(record.as_ref(), now(), &self.limits), claim_id, &self.limits)?;
        match outcome {
            Claim::First => store.mark_claimed(claim_id)?,
            Claim::Again => {}
            Claim::RefuseAndCount | Claim::Refuse => {
                if outcome == Claim::RefuseAndCount {
                    store.count_refused()?;
                }
                return Err(Problem::INVITE_CLAIMED.into());
            }
        }
        let text = store.text()?.ok_or(Problem::INVITE_EXPIRED)?;
        let opened = Class::Pair.ask(&self.env, &text.session_id, &PairCall::Open, text.pake.as_bytes()).await?;
        if opened.status_code() != 204 {
            return Err(Problem::INTERNAL.into());
        }
        Ok(Answer::json_text(200, text.signed))
    }

    fn status(&self, permit: &Permit, sig: &str) -> Result<Answer, Failure> {
        let store = self.store();
        let record = store.record()?;
        let word = state(phase(record.as_ref(), now(), &self.limits));
        let (Some(record), Some(word)) = (record, word) else { return Err(Problem::CHALLENGE_INVALID.into()) };
        let ours = signer(&store.agent_id()?, sig)
            .is_some_and(|(agent, signature)| agent.verify(permit.challenge.as_bytes(), &signature).is_ok());
        if !ours || store.was_used(permit)? {
            return Err(Problem::CHALLENGE_INVALID.into());
        }
        store.mark_used(permit, now())?;
        let claims = u8::from(record.claim_id.is_some());
        Ok(Answer::json(200, &serde_json::json!({"state": word, "claims": claims, "refused": record.refused})))
    }

    async fn withdraw(&self, name: &str, sig: &str) -> Result<Answer, Failure> {
        let now = now();
        let store = self.store();
        let record = store.record()?;
        let phase = phase(record.as_ref(), now, &self.limits);
        if phase == Phase::Absent {
            return Err(Problem::INVALID_SIGNATURE.into());
        }
        let signed = Transcript::new().raw(name).raw(b"\0").raw(store.session_id()?);
        let ours = signer(&store.agent_id()?, sig)
            .is_some_and(|(agent, signature)| agent.verify_in(Domain::InviteDelete, &signed, &signature).is_ok());
        if !ours {
            return Err(Problem::INVALID_SIGNATURE.into());
        }
        if let Phase::Open(record) | Phase::Claimed(record) = phase {
            store.withdraw(now)?;
            self.arm(self.forget_at(&Record { withdrawn_at: Some(now.ms), ..record.clone() })).await?;
        }
        Ok(Answer::no_content())
    }

    fn forget_at(&self, record: &Record) -> u64 {
        record.withdrawn_at.unwrap_or(record.expires_at).min(record.expires_at).saturating_add(self.limits.tombstone_ms)
    }

    fn store(&self) -> Store {
        Store::of(&self.state)
    }

    async fn arm(&self, at: u64) -> Result<()> {
        self.state.storage().set_alarm(alarm_time(at)).await
    }
}

fn signer(agent_id: &str, sig: &str) -> Option<(AgentId, Vec<u8>)> {
    Some((AgentId::parse(agent_id).ok()?, base64url::decode(sig).ok()?))
}
