//! Opening a session: the terms, and whether the recipient's human lets the agents negotiate on them.

use super::Engine;
use super::dispatch::Dispatched;
use super::gates::tail;
use super::reply::Reply;
use super::sessions::session_key;
use super::step::Step;
use crate::artifact::{is_sha256_hex, sha256_hex};
use crate::bond::{Bond, Scope};
use crate::envelope::Profile;
use crate::error::{Bug, Failure, Misuse, Refusal, Reject};
use crate::gate::{Decision, Shown, Subject};
use crate::limits::{MAX_TURNS, OPENINGS_PER_BOND, TERMS_BYTES};
use crate::message::{CriterionTest, Message, Open, OpenApproved, OpenReject, deadline_ms};
use crate::negotiation::{Phase, Session, Side};

/// Room for what sealing adds to the terms.
const EXTRAS_BYTES: usize = 1_024;

impl Engine {
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
        let size = serde_json::to_string(&terms).map_err(|_| Bug::Serialise)?.len();
        if size > TERMS_BYTES - EXTRAS_BYTES {
            return Err(Failure::Refused(Refusal::PayloadTooLarge, "terms are 63 KiB at most".to_owned()));
        }
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
        if plaintext.len() > TERMS_BYTES {
            return Ok(Err(Reject::InvalidPayload));
        }
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
}
