//! Signing: both agents name one hash, and with it the agreement; then it is frozen.

use super::Engine;
use super::dispatch::Dispatched;
use super::reply::Reply;
use super::sessions::session_key;
use super::step::Step;
use crate::artifact::is_sha256_hex;
use crate::bond::Bond;
use crate::envelope::Profile;
use crate::error::{Failure, Refusal, Reject};
use crate::message::{Message, Signed};
use crate::negotiation::{Agreement, Described, Phase, Session, Side, SignedHash};

impl Engine {
    /// The description and the agreement digest of a deliverable that this host holds.
    fn agreement_of(&self, bond: &Bond, session: &Session, sha256: &str) -> Option<(Described, String)> {
        use sha2::Digest as _;
        let key = format!("{}/{sha256}", session_key(&bond.id, &session.thread));
        let described = self.state.deliverables.get(&key)?.describe();
        let (initiator, recipient) = match session.opened_by {
            Side::Me => (&bond.own, &bond.peer),
            Side::Peer => (&bond.peer, &bond.own),
        };
        let digest = Agreement {
            thread: &session.thread,
            initiator: initiator.as_str(),
            recipient: recipient.as_str(),
            terms: &sha2::Sha256::digest(session.plaintexts.first()?).into(),
            deliverable: &described,
            supersedes: session.terms.supersedes.as_deref().unwrap_or_default(),
        }
        .digest()?;
        Some((described, hex::encode(digest)))
    }

    pub(super) fn sign(&mut self, step: &mut Step, bond: &str, thread: &str, sha256: &str) -> Result<Reply, Failure> {
        let bond = self.usable_bond(bond)?;
        let key = session_key(&bond.id, thread);
        self.must_be_before_deadline(step, &key)?;
        let mut session = self.state.sessions.get(&key).cloned().ok_or(Refusal::SessionNotFound)?;
        if matches!(session.phase, Phase::Pending(_)) {
            return Err(Refusal::SessionNotLive.into());
        }
        let (described, agreement) = self.agreement_of(&bond, &session, sha256).ok_or(Refusal::ArtifactNotFound)?;
        let named = bond.speaks(Profile::Bond).then(|| agreement.clone());
        let signed = SignedHash { sha256: sha256.to_owned(), agreement: named.clone() };
        let is_signed =
            session.sign(Side::Me, signed, |_| Some((described, agreement.clone()))).map_err(Refusal::from)?;
        let status = session.status().to_owned();
        self.state.sessions.put(&*key, session);
        let message = Message::Signed(Signed {
            thread: Some(thread.to_owned()),
            artifact_hash: sha256.to_owned(),
            agreement: named,
        });
        self.enqueue(step, &bond.id, &message, thread, None)?;
        self.emit_session(step, &bond.id, thread, "signed")?;
        if is_signed {
            self.ask_ratify(step, &bond, thread)?;
        }
        Ok(Reply { status: Some(status), agreement: Some(agreement), ..Reply::default() })
    }

    pub(super) fn on_signed(&mut self, step: &mut Step, bond: &Bond, thread: &str, signed: Signed) -> Dispatched {
        let key = session_key(&bond.id, thread);
        if !is_sha256_hex(&signed.artifact_hash) || (signed.agreement.is_none() && bond.speaks(Profile::Bond)) {
            return Ok(Err(Reject::InvalidPayload));
        }
        let Some(mut session) = self.state.sessions.get(&key).cloned() else {
            return Ok(Err(Reject::SessionNotFound));
        };
        let before = session.clone();
        let hash = SignedHash { sha256: signed.artifact_hash, agreement: signed.agreement };
        match session.sign(Side::Peer, hash, |sha256| self.agreement_of(bond, &before, sha256)) {
            Err(reject) => Ok(Err(reject)),
            Ok(is_signed) => {
                self.state.sessions.put(&*key, session);
                self.emit_session(step, &bond.id, thread, "signed")?;
                if is_signed {
                    self.ask_ratify(step, bond, thread)?;
                }
                Ok(Ok(()))
            }
        }
    }
}
