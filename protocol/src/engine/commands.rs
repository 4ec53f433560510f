//! Commands of the owner: checked, then carried out or refused as a whole.

use super::Engine;
use super::calls::base_url;
use super::gates::Typed;
use super::input::Command;
use super::pairing::Stage;
use super::reply::Reply;
use super::state::HOST;
use super::step::Step;
use super::turns::Move;
use crate::bond::{Mode, Scope};
use crate::error::{Bug, Failure, Misuse, Refusal};
use crate::limits::{INVITE_MS, REASON_BYTES, THREAD_EMIT_BYTES};
use crate::message::{Close, Message, Msg};
use crate::negotiation::Side;
use crate::pairing::code::{Code, CodeFault};
use crate::pairing::spake::Role;

/// Longest petname and label.
const NAME_CHARS: usize = 64;

impl Engine {
    pub(super) fn command(&mut self, step: &mut Step, command: Command) -> Result<Reply, Failure> {
        match command {
            Command::Label { label } => {
                let label = label.map(|label| name_of(&label)).transpose()?;
                self.state.host.get_mut(HOST).ok_or(Bug::Invariant)?.label = label;
                Ok(Reply::default())
            }
            Command::Invite { form, scope, mode, relay, petname } => {
                let known = |word: &String| [Scope::Message, Scope::Negotiate].iter().any(|scope| scope.word() == word);
                if scope.is_empty() || !scope.iter().all(known) {
                    return Err(misuse("scope", "`message`, `negotiate` or both"));
                }
                let mode = Mode::parse(&mode)
                    .ok_or_else(|| misuse("mode", "`bonded_contact` or `ephemeral_until_session_closes`"))?;
                let petname = petname.map(|name| name_of(&name)).transpose()?;
                let pairing = self.new_invite(step, form, (scope, mode), relay_of(&relay)?, petname)?;
                Ok(Reply { pairing: Some(pairing), ..Reply::default() })
            }
            Command::CancelPairing { pairing } => {
                self.cancel_pairing(step, &pairing)?;
                Ok(Reply::default())
            }
            Command::Join { code, relay, petname } => self.join(step, &code, &relay, petname),
            Command::Decide { pending, code, channel, reason, decision, proof } => {
                if !is_channel(&channel) {
                    return Err(misuse("channel", "a short lowercase word"));
                }
                self.decide(step, &pending, Typed { code, decision, proof }, &channel, reason.map(cut))
            }
            Command::Approver { approver, proof } => {
                self.set_approver(step, approver, proof)?;
                Ok(Reply::default())
            }
            Command::Read { up_to } => {
                self.mark_read(step, up_to)?;
                Ok(Reply::default())
            }
            Command::Brake { bond, why } => {
                let pending = self.brake(step, &bond, &why)?;
                Ok(Reply { pending: Some(pending), ..Reply::default() })
            }
            Command::Restored => {
                self.after_restore(step)?;
                Ok(Reply::default())
            }
            Command::Reissue { pending } => {
                self.reissue(step, &pending)?;
                Ok(Reply::default())
            }
            Command::Verify { bond, number } => {
                let bond = self.find_bond(&bond)?.clone();
                if bond.is_over() {
                    return Err(Refusal::BondNotActive.into());
                }
                let pending = self.ask_verify(step, &bond.id, &number)?;
                Ok(Reply { pending: Some(pending), ..Reply::default() })
            }
            Command::Rename { bond, petname } => {
                let petname = name_of(&petname)?;
                let bond = self.find_bond(&bond)?.clone();
                let petname =
                    if petname == bond.petname { petname } else { self.free_petname(Some(&petname), &bond.peer) };
                self.state.bonds.get_mut(&bond.id).ok_or(Bug::Invariant)?.petname = petname;
                Ok(Reply { bond: Some(bond.id), ..Reply::default() })
            }
            Command::Send { bond, body, kind, thread, ttl } => self.send(step, &bond, Msg { body, kind }, thread, ttl),
            Command::Close { bond, thread, reason } => self.close(step, &bond, &thread, reason.map(cut)),
            Command::Open { bond, terms } => self.open_session(step, &bond, terms),
            Command::Turn { bond, thread, kind, body, deliverable, sha256 } => {
                self.take_turn(step, &bond, &thread, Move { kind, body, deliverable, sha256 })
            }
            Command::Sign { bond, thread, sha256 } => self.sign(step, &bond, &thread, &sha256),
            Command::Extend { bond, thread, max_turns } => self.ask_extension(step, &bond, &thread, max_turns),
            Command::Revoke { bond, reason } => {
                let bond = self.find_bond(&bond)?.id.clone();
                self.revoke(step, &bond, reason.map(cut))?;
                Ok(Reply { bond: Some(bond), ..Reply::default() })
            }
        }
    }

    fn join(&mut self, step: &mut Step, typed: &str, relay: &str, petname: Option<String>) -> Result<Reply, Failure> {
        let code = Code::parse(typed).map_err(|fault| match fault {
            CodeFault::Malformed => Failure::Refused(
                Refusal::CodeMalformed,
                "a code is a number and three words, six digits, or a whole link".to_owned(),
            ),
            CodeFault::UnknownWord { position, nearest } => Failure::Refused(
                Refusal::CodeWordUnknown,
                format!("word {position} is not in the list; did you hear \"{nearest}\"?"),
            ),
        })?;
        // Once our message was made the code is spent, whatever came of it.
        let is_spent = self.state.pairings.values().any(|p| {
            p.role == Role::Joiner && p.name == code.name() && p.is_claimed && p.created_at + INVITE_MS > step.now
        });
        if is_spent {
            return Err(Refusal::CodeSpent.into());
        }
        let same = |p: &&super::pairing::Pairing| {
            p.role == Role::Joiner && p.name == code.name() && p.stage == Stage::Claiming
        };
        if let Some(same) = self.state.pairings.values().find(same) {
            return Ok(Reply { pairing: Some(same.id.clone()), ..Reply::default() });
        }
        let relay = relay_of(code.relay().unwrap_or(relay))?;
        let petname = petname.map(|name| name_of(&name)).transpose()?;
        let pairing = self.new_join(step, &code, relay, petname)?;
        Ok(Reply { pairing: Some(pairing), ..Reply::default() })
    }

    fn send(
        &mut self,
        step: &mut Step,
        bond: &str,
        message: Msg,
        thread: Option<String>,
        ttl: Option<u32>,
    ) -> Result<Reply, Failure> {
        let bond = self.usable_bond(bond)?;
        if !bond.allows(Scope::Message) {
            return Err(Refusal::ScopeNotGranted.into());
        }
        if bond.is_braked {
            return Err(Refusal::LoopBrake.into());
        }
        let thread = match thread {
            Some(thread) => self.thread_of(&bond.id, thread)?,
            None => step.uuid(),
        };
        let ttl_ms = ttl.map(|seconds| u64::from(seconds.max(1)) * 1_000);
        let sent = self.enqueue(step, &bond.id, &Message::Msg(message), &thread, ttl_ms)?;
        let stored = self.state.bonds.get_mut(&bond.id).ok_or(Bug::Invariant)?;
        stored.unattended = stored.unattended.saturating_add(1);
        Ok(Reply {
            mid: Some(sent.mid),
            id: Some(sent.id),
            thread: Some(thread),
            seq: Some(sent.seq),
            ..Reply::default()
        })
    }

    /// A thread that may be written to.
    fn thread_of(&self, bond: &str, thread: String) -> Result<String, Failure> {
        let is_reserved = thread == super::outbox::ACK_THREAD || thread == super::outbox::BOND_THREAD;
        let is_name = (1..=THREAD_EMIT_BYTES).contains(&thread.len())
            && thread.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b':' | b'-'));
        // A thread that the peer began has the peer's name for it.
        let is_known = self.state.threads.contains(&format!("{bond}/{thread}"));
        if is_reserved || !(is_name || is_known) {
            return Err(misuse("thread", "1 to 128 of A-Z a-z 0-9 . _ : -, and neither `ack` nor `bond`"));
        }
        if self.state.threads.get(&format!("{bond}/{thread}")).is_some_and(|thread| thread.is_closed) {
            return Err(Refusal::ThreadClosed.into());
        }
        Ok(thread)
    }

    fn close(&mut self, step: &mut Step, bond: &str, thread: &str, reason: Option<String>) -> Result<Reply, Failure> {
        let bond = self.usable_bond(bond)?;
        let thread = self.thread_of(&bond.id, thread.to_owned())?;
        let sent = self.enqueue(step, &bond.id, &Message::Close(Close { reason: reason.clone() }), &thread, None)?;
        self.close_thread(&bond.id, &thread);
        self.end_session(step, &bond.id, &thread, "thread_closed", reason, Side::Me)?;
        Ok(Reply { id: Some(sent.id), thread: Some(thread), seq: Some(sent.seq), ..Reply::default() })
    }
}

pub(super) fn misuse(what: &str, wanted: &str) -> Failure {
    Failure::Misused(Misuse::InvalidArgument, format!("{what} must be {wanted}"))
}

fn relay_of(text: &str) -> Result<String, Failure> {
    base_url(text).ok_or_else(|| misuse("relay", "an http or https URL without a query"))
}

fn name_of(text: &str) -> Result<String, Failure> {
    let text = text.trim();
    let is_good = (1..=NAME_CHARS).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    if is_good { Ok(text.to_owned()) } else { Err(misuse("name", "1 to 64 printable characters")) }
}

fn is_channel(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

/// The head of a reason that is not longer than peers take.
fn cut(mut reason: String) -> String {
    reason.truncate(reason.floor_char_boundary(REASON_BYTES));
    reason
}
