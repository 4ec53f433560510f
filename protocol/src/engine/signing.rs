//! Signing: both agents name one hash, and with it the agreement; then it is frozen.

use super::Engine;
use super::dispatch::Dispatched;
use super::reply::Reply;
use super::sessions::session_key;
use super::step::Step;
use crate::artifact::is_sha256_hex;
use crate::bond::Bond;
use crate::envelope::{Kind, Profile};
use crate::error::{Failure, Refusal, Reject};
use crate::gate::Subject;
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
        let (key, prefix) = (session_key(&bond.id, thread), format!("{}/", bond.id));
        self.must_be_before_deadline(step, &key)?;
        let mut session = self.state.sessions.get(&key).cloned().ok_or(Refusal::SessionNotFound)?;
        if matches!(session.phase, Phase::Pending(_)) {
            return Err(Refusal::SessionNotLive.into());
        }
        let (described, agreement) = self.agreement_of(&bond, &session, sha256).ok_or(Refusal::ArtifactNotFound)?;
        if session.has_signed(sha256) {
            let status = session.status().to_owned();
            return Ok(Reply { status: Some(status), agreement: Some(agreement), ..Reply::default() });
        }
        // One signature at a time: what both have frozen must be found out without knowing the order of more.
        let is_signature = |kind: &str, at: &str| kind == Kind::NegoSigned.name() && at == thread;
        if self.state.outbox.under(&prefix).any(|(_, row)| is_signature(&row.kind, &row.thread)) {
            return Err(Refusal::SignaturePending.into());
        }
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
                    self.ask_ratify_anew(step, bond, thread)?;
                }
                Ok(Ok(()))
            }
        }
    }

    /// The peer refused a signature of ours: another hash is frozen there.
    pub(super) fn on_hash_frozen(&mut self, step: &mut Step, bond_id: &str, thread: &str) -> Result<(), Failure> {
        let key = session_key(bond_id, thread);
        let (Some(bond), Some(mut session)) =
            (self.state.bonds.get(bond_id).cloned(), self.state.sessions.get(&key).cloned())
        else {
            return Ok(());
        };
        let before = session.clone();
        let is_signed = session.frozen_elsewhere(|sha256| self.agreement_of(&bond, &before, sha256));
        self.state.sessions.put(&*key, session);
        if is_signed {
            self.emit_session(step, bond_id, thread, "signed")?;
            self.ask_ratify_anew(step, &bond, thread)?;
        }
        Ok(())
    }

    /// A ratification shows what the peer has frozen. If this side signed it too, it follows, unless its own human has
    /// ratified something else.
    pub(super) fn follow_ratified(
        &mut self,
        step: &mut Step,
        bond: &Bond,
        thread: &str,
        theirs: &SignedHash,
    ) -> Result<(), Failure> {
        let key = session_key(&bond.id, thread);
        let Some(mut session) = self.state.sessions.get(&key).cloned() else {
            return Ok(());
        };
        if matches!(&session.phase, Phase::Signed(signed) if signed.deliverable.sha256 == theirs.sha256) {
            return Ok(());
        }
        let before = session.clone();
        let describe = |sha256: &str| self.agreement_of(bond, &before, sha256);
        if session.follow(theirs, describe).is_ok() {
            self.state.sessions.put(&*key, session);
            self.emit_session(step, &bond.id, thread, "signed")?;
            self.ask_ratify_anew(step, bond, thread)?;
        }
        Ok(())
    }

    /// Asks the human about what is frozen now. What was asked about another hash is void.
    fn ask_ratify_anew(&mut self, step: &mut Step, bond: &Bond, thread: &str) -> Result<(), Failure> {
        let old = Subject::Ratify { bond: bond.id.clone(), thread: thread.to_owned() };
        self.withdraw_pendings(step, |subject| *subject == old)?;
        self.ask_ratify(step, bond, thread)
    }
}
