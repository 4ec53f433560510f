//! Gates: asking the human, and what a decision leads to.

use super::Engine;
use super::effect::Effect;
use super::feed::Event;
use super::pairing::Stage;
use super::reply::Reply;
use super::step::Step;
use super::view::PendingView;
use crate::error::{Bug, Failure, Refusal};
use crate::gate::{ATTEMPTS_PER_DAY, ATTEMPTS_PER_SUBJECT, Attempts, Decision, PendingItem, Shown, Subject};
use crate::identity::AgentId;
use crate::limits::{DAY_MS, PAIR_SESSION_MS};
use crate::message::ApprovalWord;
use crate::pairing::message::PairMessage;
use crate::safety::keys_digest;

/// What was typed to decide an item.
pub(super) struct Typed {
    /// Six digits.
    pub(super) code: String,
    /// What the human said, where that is known.
    pub(super) decision: Option<Decision>,
    /// The approver's signature, where there is one.
    pub(super) proof: Option<String>,
}

/// Counter of wrong codes for all subjects.
const ALL: &str = "all";

impl Engine {
    /// Puts a question to the human. The same question for the same subject is not put twice.
    pub(super) fn ask(
        &mut self,
        step: &mut Step,
        subject: Subject,
        question: String,
        shown: Vec<Shown>,
        expires_at: u64,
    ) -> Result<String, Failure> {
        let key = self.approval_key()?;
        let id = step.uuid();
        let times = (step.now, expires_at);
        let (item, codes) = PendingItem::new(id.clone(), subject, question, shown, times, &key, &mut step.rng);
        let same = |other: &&PendingItem| other.subject == item.subject && other.digest == item.digest;
        if let Some(other) = self.state.pendings.values().find(same) {
            return Ok(other.id.clone());
        }
        self.withdraw_pendings(step, |subject| *subject == item.subject)?;
        let facts = [("pending", id.as_str()), ("subject", &item.subject.name()), ("digest", &item.digest)];
        step.audit(&mut self.state, "human_asked", None, &facts)?;
        step.effect(Effect::AskHuman {
            pending: PendingView::from(&item),
            approve_code: codes.approve.expose().to_owned(),
            reject_code: codes.reject.expose().to_owned(),
        });
        self.state.pendings.put(&*id, item);
        step.emit(&mut self.state, Event::Pending { pending: id.clone() })?;
        Ok(id)
    }

    /// Draws new codes for an item whose codes were lost.
    pub(super) fn reissue(&mut self, step: &mut Step, id: &str) -> Result<(), Failure> {
        let key = self.approval_key()?;
        let item = self.state.pendings.get_mut(id).ok_or(Refusal::PendingNotFound)?;
        let codes = item.reissue(&key, &mut step.rng);
        step.effect(Effect::AskHuman {
            pending: PendingView::from(&*item),
            approve_code: codes.approve.expose().to_owned(),
            reject_code: codes.reject.expose().to_owned(),
        });
        Ok(())
    }

    /// Takes items off: decided, or void.
    pub(super) fn withdraw_pendings(&mut self, step: &mut Step, is_void: impl Fn(&Subject) -> bool) -> Result<(), Bug> {
        let void: Vec<String> =
            self.state.pendings.values().filter(|item| is_void(&item.subject)).map(|item| item.id.clone()).collect();
        for id in void {
            self.state.pendings.remove(&id);
            step.effect(Effect::Withdraw { pending: id });
        }
        Ok(())
    }

    pub(super) fn tend_pendings(&mut self, step: &mut Step) {
        let late: Vec<String> = self
            .state
            .pendings
            .values()
            .filter(|item| item.expires_at <= step.now)
            .map(|item| item.id.clone())
            .collect();
        for id in late {
            self.state.pendings.remove(&id);
            step.effect(Effect::Withdraw { pending: id });
        }
        let old: Vec<String> =
            self.state.attempts.iter().filter(|(_, a)| a.today(step.now) == 0).map(|(key, _)| key.clone()).collect();
        for key in old {
            self.state.attempts.remove(&key);
        }
    }

    /// Decides an item by what was typed. A wrong code is counted, and the count outlives the item.
    pub(super) fn decide(
        &mut self,
        step: &mut Step,
        id: &str,
        typed: Typed,
        channel: &str,
        reason: Option<String>,
    ) -> Result<Reply, Failure> {
        // It may be late although no timer has taken it off yet: the machine slept.
        let is_open = |item: &PendingItem| item.expires_at > step.now;
        let item = self.state.pendings.get(id).cloned().filter(is_open).ok_or(Refusal::PendingNotFound)?;
        let subject = item.subject.name();
        let wrong = |key: &str| self.state.attempts.get(key).copied().unwrap_or_default();
        let (of_subject, of_all) = (wrong(&subject), wrong(ALL));
        if of_subject.today(step.now) >= ATTEMPTS_PER_SUBJECT || of_all.today(step.now) >= ATTEMPTS_PER_DAY {
            return Err(Refusal::AttemptsExhausted.into());
        }
        let judged = item.judge(&self.approval_key()?, &typed.code);
        let Some(decision) = judged.filter(|decision| typed.decision.is_none_or(|said| said == *decision)) else {
            return self.count_wrong(step, &item, "code", of_subject, of_all);
        };
        if !self.is_approved(&item, decision, typed.proof.as_deref())? {
            return self.count_wrong(step, &item, "pin", of_subject, of_all);
        }
        if let Some(bond) = item.subject.bond().and_then(|bond| self.state.bonds.get_mut(bond)) {
            bond.unattended = 0;
        }
        self.state.pendings.remove(id);
        step.effect(Effect::Withdraw { pending: id.to_owned() });
        let facts = [
            ("pending", id),
            ("subject", subject.as_str()),
            ("decision", decision.word()),
            ("digest", &item.digest),
            ("channel", channel),
        ];
        step.audit(&mut self.state, "human_decided", None, &facts)?;
        step.emit(&mut self.state, Event::Decided { pending: id.to_owned(), decision })?;
        match &item.subject {
            Subject::Join { pairing } => self.decide_join(step, pairing, decision)?,
            Subject::Open { bond, thread } => self.decide_open(step, bond, thread, decision, reason)?,
            Subject::Ratify { bond, thread } => {
                let approval =
                    typed.proof.map(|sig| ApprovalWord { pending: item.id.clone(), digest: item.digest.clone(), sig });
                self.decide_ratify(step, (bond, thread), decision, channel, approval)?;
            }
            Subject::Extend { bond, thread, proposal_id } => {
                self.decide_extension(step, bond, thread, proposal_id, decision, reason)?;
            }
            Subject::Verify { bond } => self.decide_verify(step, bond, decision, channel)?,
            Subject::Continue { bond } => self.decide_continue(bond, decision)?,
        }
        Ok(Reply { decision: Some(decision), ..Reply::default() })
    }

    fn count_wrong(
        &mut self,
        step: &mut Step,
        item: &PendingItem,
        what: &str,
        of_subject: Attempts,
        of_all: Attempts,
    ) -> Result<Reply, Failure> {
        let subject = item.subject.name();
        let (of_subject, of_all) = (of_subject.plus_one(step.now), of_all.plus_one(step.now));
        self.state.attempts.put(&*subject, of_subject);
        self.state.attempts.put(ALL, of_all);
        let left = ATTEMPTS_PER_SUBJECT
            .saturating_sub(of_subject.today(step.now))
            .min(ATTEMPTS_PER_DAY.saturating_sub(of_all.today(step.now)));
        let facts = [("pending", item.id.as_str()), ("subject", &subject)];
        step.audit(&mut self.state, &format!("wrong_{what}"), None, &facts)?;
        if let (0, Subject::Join { pairing }) = (left, &item.subject) {
            self.decide_join(step, pairing, Decision::Reject)?;
        }
        Ok(Reply { attempts_left: Some(left), wrong: Some(what.to_owned()), ..Reply::default() })
    }

    /// Asks whether to bond with whoever answered the code.
    pub(super) fn ask_join(&mut self, step: &mut Step, id: &str) -> Result<(), Failure> {
        let pairing = self.state.pairings.get(id).cloned().ok_or(Bug::Invariant)?;
        let peer = pairing.peer.ok_or(Bug::Invariant)?.id;
        // As the bond will be called: another one may have the wanted name.
        let name = match &pairing.petname {
            Some(wanted) => self.free_petname(Some(wanted), &peer),
            None => "the one who gave you the code".to_owned(),
        };
        let shown = vec![
            Shown::own("peer", format!("{name}, key ending in {}", tail(&peer))),
            Shown::peer("for", pairing.scope.join(", ")),
            Shown::own("lasts", pairing.mode.name()),
            Shown::own("relay", &pairing.relay),
            Shown::own("keys", hex::encode(keys_digest(&pairing.own, &peer))),
        ];
        let subject = Subject::Join { pairing: id.to_owned() };
        self.ask(step, subject, format!("Bond with {name}?"), shown, step.now + PAIR_SESSION_MS)?;
        Ok(())
    }

    fn decide_join(&mut self, step: &mut Step, id: &str, decision: Decision) -> Result<(), Failure> {
        match decision {
            Decision::Approve => self.post_bond_ok(id, Stage::Agreeing),
            Decision::Reject => {
                let message = PairMessage::Reject { reason: "approval_declined".to_owned() };
                self.fail_pairing(step, id, &message, "approval_declined")
            }
        }
    }

    /// Asks whether the safety numbers are equal.
    pub(super) fn ask_verify(&mut self, step: &mut Step, id: &str, number: &str) -> Result<String, Failure> {
        let bond = self.state.bonds.get(id).cloned().ok_or(Bug::Invariant)?;
        let shown = vec![
            Shown::own("peer", format!("{}, key ending in {}", bond.petname, tail(&bond.peer))),
            Shown::own("safety number", number),
            Shown::own("keys", hex::encode(keys_digest(&bond.own, &bond.peer))),
        ];
        let question = format!("Does {} see the same safety number, all five groups?", bond.petname);
        self.ask(step, Subject::Verify { bond: id.to_owned() }, question, shown, step.now + DAY_MS)
    }

    fn decide_verify(&mut self, step: &mut Step, id: &str, decision: Decision, channel: &str) -> Result<(), Failure> {
        let bond = self.state.bonds.get_mut(id).ok_or(Bug::Invariant)?;
        if decision == Decision::Reject {
            // Somebody stands between: nothing of the peer is let in, and nothing goes out, until they are equal.
            bond.must_verify = true;
            bond.verification = None;
            if !bond.is_usable() {
                return Ok(());
            }
            bond.status = crate::bond::BondStatus::Held;
            let reason = Some("safety_number_differs".to_owned());
            let event = Event::BondChanged { bond: id.to_owned(), status: crate::bond::BondStatus::Held, reason };
            return Ok(step.emit(&mut self.state, event)?);
        }
        bond.verification = Some(crate::bond::Verification { at: step.now, how: channel.to_owned() });
        step.emit(&mut self.state, Event::BondVerified { bond: id.to_owned() })?;
        let is_held = self.state.bonds.get(id).is_some_and(|bond| bond.status == crate::bond::BondStatus::Held);
        if is_held { self.activate(step, id) } else { Ok(()) }
    }
}

/// The last eight characters of an id, for people.
pub(super) fn tail(id: &AgentId) -> &str {
    let text = id.as_str();
    text.get(text.len() - 8..).unwrap_or(text)
}
