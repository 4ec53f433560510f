//! Negotiation in the engine: commands of the owner's agent, messages of the peer, decisions of the human.

use super::Engine;
use super::dispatch::Dispatched;
use super::feed::Event;
use super::gates::tail;
use super::reply::Reply;
use super::step::Step;
use crate::artifact::{is_sha256_hex, sha256_hex};
use crate::bond::{Bond, Mode, Scope};
use crate::envelope::{Kind, Profile};
use crate::error::{Bug, Failure, Misuse, Refusal, Reject};
use crate::gate::{Decision, Shown, Subject};
use crate::limits::{MAX_TURNS, OPENINGS_PER_BOND, SESSION_BYTES};
use crate::message::{
    AGREED_SECTION, Close, CriterionTest, Message, Open, OpenApproved, OpenExpired, OpenReject, Ratified, Signed, Turn,
    TurnKind, deadline_ms,
};
use crate::negotiation::{
    Agreed, Agreement, CHANNEL_BYTES, Deliverable, Described, Phase, RATIFY_MS, Ratification, Ratify, Receipt, Session,
    Side, SignedHash, SignedPhase, TurnRow,
};

/// Key of a session, and prefix of what belongs to it. A thread may have any name, `T` and `T/1` too: its digest is the
/// key.
pub(super) fn session_key(bond: &str, thread: &str) -> String {
    format!("{bond}/{}", sha256_hex(thread.as_bytes()).split_at(32).0)
}

impl Engine {
    // ---- Opening -------------------------------------------------------------------------------------------------

    pub(super) fn open_session(&mut self, step: &mut Step, bond: &str, mut terms: Open) -> Result<Reply, Failure> {
        let bond = self.usable_bond(bond)?;
        if !bond.allows(Scope::Negotiate) {
            return Err(Refusal::ScopeNotGranted.into());
        }
        if !(1..=MAX_TURNS).contains(&terms.budget.max_turns) {
            return Err(Misuse::InvalidBudget.into());
        }
        let is_digest = |text: &String| is_sha256_hex(text);
        if terms.goal.is_empty() || terms.supersedes.as_ref().is_some_and(|digest| !is_digest(digest)) {
            return Err(super::commands::misuse("goal and supersedes", "a sentence, and a digest or nothing"));
        }
        match deadline_ms(&terms.budget.deadline) {
            None => return Err(super::commands::misuse("deadline", "an instant in UTC such as 2027-01-31T12:00:00Z")),
            Some(at) if at <= step.now => return Err(Refusal::DeadlineExpired.into()),
            Some(_) => {}
        }
        terms.from = Some(bond.own.as_str().to_owned());
        let thread = step.uuid();
        let sent = self.enqueue(step, &bond.id, &Message::Open(terms.clone()), &thread, None)?;
        let session = Session::open(&bond.id, &thread, Side::Me, terms, sent.plaintext, step.now);
        self.state.sessions.put(session_key(&bond.id, &thread), session);
        self.emit_session(step, &bond.id, &thread, "opened")?;
        Ok(Reply { id: Some(sent.id), mid: Some(sent.mid), thread: Some(thread), ..Reply::default() })
    }

    pub(super) fn on_open(
        &mut self,
        step: &mut Step,
        bond: &Bond,
        thread: &str,
        terms: Open,
        plaintext: Vec<u8>,
    ) -> Dispatched {
        let key = session_key(&bond.id, thread);
        if let Some(session) = self.state.sessions.get(&key) {
            return Ok(match session.opened_by {
                Side::Peer => Ok(()),
                Side::Me => Err(Reject::InitiatorMismatch),
            });
        }
        let is_from_other = terms.from.as_deref().is_some_and(|from| from != bond.peer.as_str());
        if is_from_other || terms.supersedes.as_ref().is_some_and(|digest| !is_sha256_hex(digest)) {
            return Ok(Err(Reject::InvalidPayload));
        }
        let prefix = format!("{}/", bond.id);
        let waiting = self
            .state
            .sessions
            .under(&prefix)
            .filter(|(_, session)| session.opened_by == Side::Peer && matches!(session.phase, Phase::Pending(_)));
        if waiting.count() >= OPENINGS_PER_BOND {
            return Ok(Err(Reject::ThreadLimit));
        }
        let plaintext = String::from_utf8(plaintext).map_err(|_| Bug::Invariant)?;
        let session = Session::open(&bond.id, thread, Side::Peer, terms, plaintext, step.now);
        let expires_at = session.expiry().map_or(step.now, |(at, _)| at);
        self.state.sessions.put(&*key, session.clone());
        self.emit_session(step, &bond.id, thread, "opened")?;
        if expires_at <= step.now {
            self.expire_session(step, &bond.id, thread, "open_expired")?;
            return Ok(Ok(()));
        }
        let terms = &session.terms;
        let mut shown = vec![
            Shown::own("peer", format!("{}, key ending in {}", bond.petname, tail(&bond.peer))),
            Shown::peer("goal", &terms.goal),
        ];
        for criterion in &terms.acceptance {
            let by = match (criterion.test, &criterion.runner) {
                (CriterionTest::Judgment, _) => "by judgment".to_owned(),
                (CriterionTest::Executable, None) => "by a test".to_owned(),
                (CriterionTest::Executable, Some(runner)) => format!("by the test {runner}"),
            };
            shown.push(Shown::peer("accepted when", format!("{} ({by}): {}", criterion.id, criterion.desc)));
        }
        shown.push(Shown::peer("turns", terms.budget.max_turns.to_string()));
        shown.push(Shown::peer("deadline", &terms.budget.deadline));
        shown.push(Shown::peer("agents may", terms.mandate.agent_may.join(", ")));
        shown.push(Shown::peer("humans must", terms.mandate.human_required.join(", ")));
        if let Some(escalate_on) = &terms.mandate.escalate_on {
            shown.push(Shown::peer("agents ask when", escalate_on.join(", ")));
        }
        if let Some(earlier) = &terms.supersedes {
            shown.push(Shown::peer("replaces agreement", earlier));
        }
        let subject = Subject::Open { bond: bond.id.clone(), thread: thread.to_owned() };
        let question = format!("Let your agent negotiate with {} on these terms?", bond.petname);
        self.ask(step, subject, question, shown, expires_at)?;
        Ok(Ok(()))
    }

    pub(super) fn decide_open(
        &mut self,
        step: &mut Step,
        bond_id: &str,
        thread: &str,
        decision: Decision,
        reason: Option<String>,
    ) -> Result<(), Failure> {
        let key = session_key(bond_id, thread);
        let bond = self.state.bonds.get(bond_id).cloned().ok_or(Bug::Invariant)?;
        if decision == Decision::Reject {
            let message = Message::OpenReject(OpenReject { thread: Some(thread.to_owned()), reason: reason.clone() });
            self.enqueue(step, bond_id, &message, thread, None)?;
            return self.end_session(step, bond_id, thread, "open_rejected", reason, Side::Me);
        }
        let session = self.state.sessions.get_mut(&key).ok_or(Refusal::SessionNotFound)?;
        session.approve_open().map_err(Refusal::from)?;
        let plaintext = session.plaintexts.first().cloned().unwrap_or_default();
        let message = Message::OpenApproved(OpenApproved {
            thread: Some(thread.to_owned()),
            approved_by: Some(bond.own.as_str().to_owned()),
            terms: bond.speaks(Profile::Bond).then(|| sha256_hex(plaintext.as_bytes())),
        });
        self.enqueue(step, bond_id, &message, thread, None)?;
        self.emit_session(step, bond_id, thread, "approved").map_err(Failure::from)
    }

    pub(super) fn on_open_approved(
        &mut self,
        step: &mut Step,
        bond: &Bond,
        thread: &str,
        terms: Option<&str>,
    ) -> Dispatched {
        let key = session_key(&bond.id, thread);
        let Some(session) = self.state.sessions.get_mut(&key) else {
            return Ok(Err(Reject::SessionNotFound));
        };
        if session.opened_by != Side::Me {
            return Ok(Err(Reject::WrongRole));
        }
        if session.is_over() {
            return Ok(Err(Reject::ThreadClosed));
        }
        // The peer says which sealing of our terms it accepted.
        let accepted = match terms {
            Some(hash) => session.plaintexts.iter().find(|text| sha256_hex(text.as_bytes()) == hash).cloned(),
            None if bond.speaks(Profile::Bond) => None,
            None => session.plaintexts.first().cloned(),
        };
        let Some(accepted) = accepted else {
            return Ok(Err(Reject::AgreementMismatch));
        };
        if let Err(reject) = session.approve_open() {
            return Ok(Err(reject));
        }
        session.plaintexts = vec![accepted];
        self.emit_session(step, &bond.id, thread, "approved")?;
        Ok(Ok(()))
    }

    pub(super) fn on_open_refused(
        &mut self,
        step: &mut Step,
        bond: &Bond,
        thread: &str,
        reason: &str,
        words: Option<String>,
    ) -> Dispatched {
        let Some(session) = self.state.sessions.get(&session_key(&bond.id, thread)) else {
            return Ok(Err(Reject::SessionNotFound));
        };
        if session.opened_by != Side::Me {
            return Ok(Err(Reject::WrongRole));
        }
        match session.phase {
            Phase::Pending(_) => {
                self.end_session(step, &bond.id, thread, reason, words, Side::Peer)?;
                Ok(Ok(()))
            }
            Phase::Ended(_) => Ok(Ok(())),
            _ => Ok(Err(Reject::SessionNotLive)),
        }
    }

    // ---- Turns ---------------------------------------------------------------------------------------------------

    pub(super) fn take_turn(
        &mut self,
        step: &mut Step,
        bond: &str,
        thread: &str,
        kind: TurnKind,
        body: String,
        deliverable: Option<Deliverable>,
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
        let (body, accepted) = if kind == TurnKind::Accept {
            let last = self.last_deliverable(&key, Side::Peer).ok_or(Refusal::ArtifactNotFound)?;
            let accept =
                serde_json::json!({ "section_id": AGREED_SECTION, "artifact_hash": last.sha256, "note": body });
            (accept.to_string(), Some(last.sha256))
        } else {
            (body, None)
        };
        if !self.has_room(&key, deliverable.as_ref().map_or(0, |deliverable| deliverable.text.len())) {
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
        let size = turn.deliverable.as_ref().map_or(0, |deliverable| deliverable.text.len());
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

    /// Whether the session may hold another deliverable of this size.
    fn has_room(&self, key: &str, size: usize) -> bool {
        let prefix = format!("{key}/");
        let held = self.state.turns.under(&prefix).filter_map(|(_, turn)| Some(turn.deliverable.as_ref()?.bytes));
        held.sum::<u64>().saturating_add(size as u64) <= SESSION_BYTES
    }

    fn last_deliverable(&self, key: &str, by: Side) -> Option<Described> {
        let prefix = format!("{key}/");
        let turns = self.state.turns.under(&prefix).map(|(_, turn)| turn);
        turns.filter(|turn| turn.by == by).filter_map(|turn| turn.deliverable.clone()).last()
    }

    fn must_be_before_deadline(&self, step: &Step, key: &str) -> Result<(), Failure> {
        let session = self.state.sessions.get(key).ok_or(Refusal::SessionNotFound)?;
        match session.expiry() {
            Some((at, _)) if at <= step.now => Err(Refusal::DeadlineExpired.into()),
            _ => Ok(()),
        }
    }

    // ---- Signing -------------------------------------------------------------------------------------------------

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

    // ---- Ratifying -----------------------------------------------------------------------------------------------

    fn ask_ratify(&mut self, step: &mut Step, bond: &Bond, thread: &str) -> Result<(), Failure> {
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
        bond_id: &str,
        thread: &str,
        decision: Decision,
        channel: &str,
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
        };
        if is_exchanged {
            message.agreement = Some(agreement);
            message.approved_at = Some(ratification.approved_at);
            message.offer_expires_at = Some(ratification.offer_expires_at);
            message.channel = Some(ratification.channel);
            message.ratify_sig = Some(ratification.sig);
        }
        self.enqueue(step, bond_id, &Message::Ratified(message), thread, None)?;
        self.emit_session(step, bond_id, thread, "ratified")?;
        if is_agreed { self.conclude(step, bond_id, thread) } else { Ok(()) }
    }

    pub(super) fn on_ratified(&mut self, step: &mut Step, bond: &Bond, thread: &str, ratified: Ratified) -> Dispatched {
        let key = session_key(&bond.id, thread);
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
            let Ratified {
                agreement: Some(agreement),
                approved_at: Some(approved_at),
                offer_expires_at: Some(offer_expires_at),
                channel: Some(channel),
                ratify_sig: Some(sig),
                ..
            } = ratified
            else {
                return Ok(Err(Reject::InvalidPayload));
            };
            let mut digest = [0; 32];
            if agreement != signed.agreement || hex::decode_to_slice(&agreement, &mut digest).is_err() {
                return Ok(Err(Reject::AgreementMismatch));
            }
            if channel.len() > CHANNEL_BYTES {
                return Ok(Err(Reject::InvalidPayload));
            }
            let ratification = Ratification { approved_at, offer_expires_at, channel, sig };
            if offer_expires_at > session.deadline()
                || approved_at > offer_expires_at
                || !ratification.holds(&digest, &bond.peer)
            {
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
        let Phase::Signed(SignedPhase { deliverable, agreement, mine: Some(mine), theirs: Some(theirs) }) =
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

    // ---- Ending --------------------------------------------------------------------------------------------------

    /// Ends a session that is not over. What waits for the human is void; an ephemeral bond ends with it.
    pub(super) fn end_session(
        &mut self,
        step: &mut Step,
        bond_id: &str,
        thread: &str,
        reason: &str,
        words: Option<String>,
        by: Side,
    ) -> Result<(), Failure> {
        let key = session_key(bond_id, thread);
        let Some(session) = self.state.sessions.get_mut(&key) else {
            return Ok(());
        };
        if !session.end(reason, words, by, step.now) {
            return Ok(());
        }
        self.withdraw_pendings(step, |subject| match subject {
            Subject::Open { bond, thread: t }
            | Subject::Ratify { bond, thread: t }
            | Subject::Extend { bond, thread: t, .. } => bond == bond_id && t == thread,
            Subject::Join { .. } | Subject::Verify { .. } => false,
        })?;
        step.audit(&mut self.state, "session_ended", Some(bond_id), &[("thread", thread), ("reason", reason)])?;
        self.emit_session(step, bond_id, thread, reason)?;
        let is_ephemeral =
            self.state.bonds.get(bond_id).is_some_and(|bond| bond.mode == Mode::Ephemeral && !bond.is_over());
        if is_ephemeral { self.revoke(step, bond_id, Some("ephemeral_ended".to_owned())) } else { Ok(()) }
    }

    /// Lets sessions run out, and tells the peer where it cannot know by itself.
    pub(super) fn tend_sessions(&mut self, step: &mut Step) -> Result<(), Failure> {
        let late: Vec<(String, String, &'static str)> = self
            .state
            .sessions
            .values()
            .filter_map(|session| {
                let (at, reason) = session.expiry()?;
                (at <= step.now).then(|| (session.bond.clone(), session.thread.clone(), reason))
            })
            .collect();
        for (bond, thread, reason) in late {
            self.expire_session(step, &bond, &thread, reason)?;
        }
        Ok(())
    }

    fn expire_session(
        &mut self,
        step: &mut Step,
        bond: &str,
        thread: &str,
        reason: &'static str,
    ) -> Result<(), Failure> {
        let opened_by = self.state.sessions.get(&session_key(bond, thread)).map(|session| session.opened_by);
        let notice = match (reason, opened_by) {
            ("open_expired", Some(Side::Peer)) => {
                Some(Message::OpenExpired(OpenExpired { thread: Some(thread.to_owned()) }))
            }
            ("ratify_expired", _) => Some(Message::Close(Close { reason: Some(reason.to_owned()) })),
            _ => None,
        };
        if let Some(notice) = notice
            && self.state.seeds.contains(bond)
        {
            self.enqueue(step, bond, &notice, thread, None)?;
        }
        self.end_session(step, bond, thread, reason, None, Side::Me)
    }

    /// The peer refused an opening, or knows no such session: then this side has none either.
    pub(super) fn on_negotiation_refused(
        &mut self,
        step: &mut Step,
        bond: &str,
        thread: &str,
        kind: &str,
        code: &str,
    ) -> Result<(), Failure> {
        let is_without_session = match Kind::parse(kind) {
            Some(Kind::NegoOpen) => true,
            Some(kind) => kind.is_negotiation() && matches!(code, "thread_closed" | "session_not_found"),
            None => false,
        };
        if is_without_session {
            self.end_session(step, bond, thread, "refused_by_peer", None, Side::Peer)?;
        }
        Ok(())
    }

    pub(super) fn emit_session(&mut self, step: &mut Step, bond: &str, thread: &str, cause: &str) -> Result<(), Bug> {
        let status = self.state.sessions.get(&session_key(bond, thread)).map_or("ended", Session::status);
        let event = Event::Session {
            bond: bond.to_owned(),
            thread: thread.to_owned(),
            status: status.to_owned(),
            cause: cause.to_owned(),
        };
        step.emit(&mut self.state, event)
    }
}
