//! Ratifying: each human signs the agreement, and with both signatures there is a receipt.

use super::Engine;
use super::dispatch::Dispatched;
use super::gates::tail;
use super::sessions::session_key;
use super::step::Step;
use crate::bond::{Bond, Mode};
use crate::envelope::Profile;
use crate::error::{Bug, Failure, Refusal, Reject};
use crate::gate::{Approval, Decision, Shown, Subject};
use crate::identity::AgentId;
use crate::message::{ApprovalWord, Close, Message, Ratified};
use crate::negotiation::{
    Agreed, CHANNEL_BYTES, Phase, RATIFY_MS, Ratification, Ratify, Receipt, Side, SignedHash, SignedPhase,
};

/// Longest id and digest of a peer's pending item.
const APPROVAL_BYTES: usize = 64;

impl Engine {
    pub(super) fn ask_ratify(&mut self, step: &mut Step, bond: &Bond, thread: &str) -> Result<(), Failure> {
        let key = session_key(&bond.id, thread);
        let session = self.state.sessions.get(&key).cloned().ok_or(Bug::Invariant)?;
        let Phase::Signed(SignedPhase { deliverable, agreement, .. }) = &session.phase else {
            return Err(Bug::Invariant.into());
        };
        let text_key = format!("{key}/{}", deliverable.sha256);
        let text = self.state.deliverables.get(&text_key).ok_or(Bug::Invariant)?.text.clone();
        let prefix = format!("{key}/");
        let is_peers = self.state.turns.under(&prefix).any(|(_, turn)| {
            turn.by == Side::Peer && turn.deliverable.as_ref().is_some_and(|d| d.sha256 == deliverable.sha256)
        });
        let by_either = |label: &str, text: String| Shown { label: label.to_owned(), text, from_peer: is_peers };
        let goal = Shown {
            label: "goal".to_owned(),
            text: session.terms.goal.clone(),
            from_peer: session.opened_by == Side::Peer,
        };
        let mut shown = vec![
            Shown::own("peer", format!("{}, key ending in {}", bond.petname, tail(&bond.peer))),
            goal,
            by_either(
                "deliverable",
                format!("{} ({}, {})", deliverable.name, deliverable.kind.name(), deliverable.media_type),
            ),
            Shown::own("sha256", &deliverable.sha256),
            Shown::own("bytes", deliverable.bytes.to_string()),
            Shown::own("agreement", agreement),
            Shown::own("valid until", &session.terms.budget.deadline),
        ];
        if let Some(earlier) = &session.terms.supersedes {
            shown.push(Shown::own("replaces agreement", earlier));
        }
        shown.push(by_either("text", text));
        let subject = Subject::Ratify { bond: bond.id.clone(), thread: thread.to_owned() };
        let question = format!("Ratify this with {}? Your key signs it for you.", bond.petname);
        self.ask(step, subject, question, shown, session.deadline())?;
        Ok(())
    }

    pub(super) fn decide_ratify(
        &mut self,
        step: &mut Step,
        (bond_id, thread): (&str, &str),
        decision: Decision,
        channel: &str,
        approval: Option<ApprovalWord>,
    ) -> Result<(), Failure> {
        if decision == Decision::Reject {
            let message = Message::Close(Close { reason: Some("ratify_rejected".to_owned()) });
            self.enqueue(step, bond_id, &message, thread, None)?;
            return self.end_session(step, bond_id, thread, "ratify_rejected", None, Side::Me);
        }
        let key = session_key(bond_id, thread);
        let keys = self.bond_keys(bond_id).ok_or(Refusal::BondNotActive)?;
        let bond = self.state.bonds.get(bond_id).ok_or(Bug::Invariant)?;
        let is_exchanged = bond.speaks(Profile::Bond);
        let session = self.state.sessions.get_mut(&key).ok_or(Refusal::SessionNotFound)?;
        let Phase::Signed(signed) = &session.phase else {
            return Err(Refusal::SessionNotSigned.into());
        };
        let (sha256, agreement) = (signed.deliverable.sha256.clone(), signed.agreement.clone());
        let mut digest = [0; 32];
        hex::decode_to_slice(&agreement, &mut digest).map_err(|_| Bug::Invariant)?;
        let offer_expires_at = session.deadline().min(step.now + RATIFY_MS);
        let ratify = Ratify {
            digest: &digest,
            signer: keys.own.agent_id().as_str(),
            approved_at: step.now,
            offer_expires_at,
            channel,
        };
        let ratification = ratify.sign(&keys.own);
        let is_agreed = session.ratify(Side::Me, ratification.clone()).map_err(|reject| match reject {
            Reject::RatifyExpired => Refusal::DeadlineExpired,
            other => Refusal::from(other),
        })?;
        let mut message = Ratified {
            thread: Some(thread.to_owned()),
            artifact_hash: Some(sha256),
            agreement: None,
            approved_at: None,
            offer_expires_at: None,
            channel: None,
            ratify_sig: None,
            approval: None,
        };
        if is_exchanged {
            message.agreement = Some(agreement);
            message.approved_at = Some(ratification.approved_at);
            message.offer_expires_at = Some(ratification.offer_expires_at);
            message.channel = Some(ratification.channel);
            message.ratify_sig = Some(ratification.sig);
            message.approval = approval;
        }
        self.enqueue(step, bond_id, &Message::Ratified(message), thread, None)?;
        self.emit_session(step, bond_id, thread, "ratified")?;
        if is_agreed { self.conclude(step, bond_id, thread) } else { Ok(()) }
    }

    pub(super) fn on_ratified(&mut self, step: &mut Step, bond: &Bond, thread: &str, ratified: Ratified) -> Dispatched {
        let key = session_key(&bond.id, thread);
        let claim = Claim::of(&ratified, &bond.peer);
        if let (Some(sha256), Some(claim)) = (&ratified.artifact_hash, &claim)
            && claim.is_signed
        {
            let theirs = SignedHash { sha256: sha256.clone(), agreement: Some(claim.agreement.clone()) };
            self.follow_ratified(step, bond, thread, &theirs)?;
        }
        let Some(session) = self.state.sessions.get_mut(&key) else {
            return Ok(Err(Reject::SessionNotFound));
        };
        let signed = match &session.phase {
            Phase::Signed(signed) => signed,
            Phase::Ended(ended) if ended.offer.is_some() => match &ended.offer {
                Some(offer) => offer,
                None => return Ok(Err(Reject::ThreadClosed)),
            },
            Phase::Agreed(_) => return Ok(Ok(())),
            Phase::Ended(_) => return Ok(Err(Reject::ThreadClosed)),
            Phase::Pending(_) | Phase::Live(_) => return Ok(Err(Reject::SessionNotSigned)),
        };
        if ratified.artifact_hash.as_ref().is_some_and(|hash| *hash != signed.deliverable.sha256) {
            return Ok(Err(Reject::AgreementMismatch));
        }
        let ratification = if bond.speaks(Profile::Bond) {
            let Some(Claim { agreement, ratification, is_signed }) = claim else {
                return Ok(Err(Reject::InvalidPayload));
            };
            if let Some(approver) = &bond.peer_approver {
                let is_approved = ratified.approval.is_some_and(|word| {
                    let ApprovalWord { pending, digest, sig } = word;
                    let (pending, digest) = (pending.as_str(), digest.as_str());
                    let is_bounded = pending.len() <= APPROVAL_BYTES && digest.len() <= APPROVAL_BYTES;
                    let approval =
                        Approval { pending, decision: Decision::Approve, digest, agreement: &signed.agreement };
                    is_bounded && approval.holds(approver, &sig)
                });
                if !is_approved {
                    return Ok(Err(Reject::NotApproved));
                }
            }
            if agreement != signed.agreement {
                return Ok(Err(Reject::AgreementMismatch));
            }
            let Ratification { approved_at, offer_expires_at, channel, .. } = &ratification;
            if channel.len() > CHANNEL_BYTES {
                return Ok(Err(Reject::InvalidPayload));
            }
            if *offer_expires_at > session.deadline() || approved_at > offer_expires_at || !is_signed {
                return Ok(Err(Reject::InvalidSignature));
            }
            ratification
        } else {
            // A draft peer sends no signature: there will be no receipt.
            let offer_expires_at = session.deadline();
            Ratification { approved_at: step.now, offer_expires_at, channel: String::new(), sig: String::new() }
        };
        match session.ratify(Side::Peer, ratification) {
            Err(reject) => Ok(Err(reject)),
            Ok(is_agreed) => {
                self.emit_session(step, &bond.id, thread, "ratified")?;
                if is_agreed {
                    self.conclude(step, &bond.id, thread)?;
                }
                Ok(Ok(()))
            }
        }
    }

    /// Both humans ratified: the receipt is written, and an ephemeral bond ends.
    fn conclude(&mut self, step: &mut Step, bond_id: &str, thread: &str) -> Result<(), Failure> {
        let key = session_key(bond_id, thread);
        let bond = self.state.bonds.get(bond_id).cloned().ok_or(Bug::Invariant)?;
        let session = self.state.sessions.get_mut(&key).ok_or(Bug::Invariant)?;
        let Phase::Signed(SignedPhase { deliverable, agreement, mine: Some(mine), theirs: Some(theirs), .. }) =
            session.phase.clone()
        else {
            return Err(Bug::Invariant.into());
        };
        let has_receipt = !theirs.sig.is_empty();
        session.phase = Phase::Agreed(Agreed {
            deliverable: deliverable.clone(),
            agreement: agreement.clone(),
            has_receipt,
            at: step.now,
        });
        let session = session.clone();
        if has_receipt {
            let text =
                self.state.deliverables.get(&format!("{key}/{}", deliverable.sha256)).cloned().ok_or(Bug::Invariant)?;
            let ((initiator, initiator_ratified), (recipient, recipient_ratified)) = match session.opened_by {
                Side::Me => ((&bond.own, mine), (&bond.peer, theirs)),
                Side::Peer => ((&bond.peer, theirs), (&bond.own, mine)),
            };
            let receipt = Receipt {
                format: crate::negotiation::RECEIPT_FORMAT.to_owned(),
                agreement: agreement.clone(),
                thread: thread.to_owned(),
                initiator: initiator.as_str().to_owned(),
                recipient: recipient.as_str().to_owned(),
                terms: crate::base64url::encode(session.plaintexts.first().ok_or(Bug::Invariant)?.as_bytes()),
                deliverable: text,
                supersedes: session.terms.supersedes.unwrap_or_default(),
                initiator_ratified,
                recipient_ratified,
            };
            receipt.check().map_err(|_| Bug::Invariant)?;
            self.state.receipts.put(&*key, receipt);
        }
        let facts = [("thread", thread), ("agreement", agreement.as_str()), ("sha256", &deliverable.sha256)];
        step.audit(&mut self.state, "agreed", Some(bond_id), &facts)?;
        self.emit_session(step, bond_id, thread, "agreed")?;
        if bond.mode == Mode::Ephemeral {
            self.revoke(step, bond_id, Some("ephemeral_ended".to_owned()))?;
        }
        Ok(())
    }
}

/// What a peer's ratification says under `bond/1`.
struct Claim {
    agreement: String,
    ratification: Ratification,
    /// Whether the peer signed it, over the digest that it names.
    is_signed: bool,
}

impl Claim {
    /// `None` if a member is missing.
    fn of(ratified: &Ratified, peer: &AgentId) -> Option<Self> {
        let ratification = Ratification {
            approved_at: ratified.approved_at?,
            offer_expires_at: ratified.offer_expires_at?,
            channel: ratified.channel.clone()?,
            sig: ratified.ratify_sig.clone()?,
        };
        let agreement = ratified.agreement.clone()?;
        let mut digest = [0; 32];
        let is_digest = hex::decode_to_slice(&agreement, &mut digest).is_ok();
        Some(Self { is_signed: is_digest && ratification.holds(&digest, peer), agreement, ratification })
    }
}
