//! A story that bytes tell: commands, answers, frames, silence, clocks that jump, and a host that dies in between.

use agentpair_protocol::engine::{Command, Input};
use agentpair_protocol::gate::{Approval, Approver, Decision, Handover};
use agentpair_protocol::identity::Keypair;
use agentpair_protocol::message::{Budget, Mandate, Open, TurnKind};
use agentpair_protocol::negotiation::Deliverable;
use agentpair_protocol::pairing::code::Form;
use arbitrary::Unstructured;

use super::drive::{Driven, LATEST};
use super::letters::sealed_artifact;
use super::menu::{body, byte, one_in, pick, span_ms, status, text, wire};
use super::relay::HOST;
use super::stages::{STAGES, Stage};

/// Steps of one story.
const STEPS: usize = 48;

/// One engine, from one of the stages on.
pub fn engine(data: &[u8]) {
    let u = &mut Unstructured::new(data);
    let stage = &STAGES[usize::from(byte(u)) % STAGES.len()];
    let mut host = Driven::new(stage);
    if !one_in(u, 8) {
        host.settle_network();
    }
    let mut sent = Vec::new();
    for _ in 0..STEPS {
        if u.is_empty() {
            break;
        }
        step(u, stage, &mut host, &mut sent);
    }
    host.pass(10_000);
    host.restart();
    host.finish();
}

fn step(u: &mut Unstructured<'_>, stage: &Stage, host: &mut Driven, sent: &mut Vec<String>) {
    match byte(u) % 16 {
        0 => host.pass(span_ms(u)),
        1 => {
            host.now = match byte(u) % 8 {
                0 => LATEST,
                1 => 0,
                _ => host.now.saturating_sub(span_ms(u)),
            };
            host.hand(Input::Tick);
        }
        2 => {
            let online = one_in(u, 2);
            if !online {
                host.calls.clear();
                host.streams.clear();
            }
            host.hand(Input::Network { online });
        }
        3 => host.restart(),
        4 | 5 => answer(u, stage, host, sent),
        6 => {
            // A relay that does what it should, for once, for everything that waits.
            for call in host.calls.clone() {
                host.calls.retain(|other| other.name != call.name);
                let good = match (call.method.as_str(), call.path.starts_with("/invite/")) {
                    ("PUT", true) => 201,
                    ("GET", _) => 404,
                    _ => 204,
                };
                match host.challenge(&call) {
                    Some(text) => host.answer(&call, 401, text),
                    None => host.answer(&call, good, "{\"error\":\"not_found\"}".to_owned()),
                };
            }
        }
        7 => {
            let stream = if host.streams.is_empty() { "s1".to_owned() } else { pick(u, &host.streams) };
            if one_in(u, 2) {
                host.hand(Input::StreamOpened { stream });
            } else {
                host.streams.retain(|other| *other != stream);
                host.hand(Input::StreamClosed { stream });
            }
        }
        8..=11 => {
            let Some(stream) = host.streams.first().cloned() else { return answer(u, stage, host, sent) };
            let Some(wire) = wire(u, stage, host, sent) else { return };
            let text = format!("{{\"rowid\":{},\"envelope\":{wire}}}", byte(u));
            sent.push(wire);
            host.hand(Input::StreamFrame { stream, text });
        }
        _ => {
            let command = command(u, stage, host);
            host.hand(Input::Command { command });
        }
    }
}

fn answer(u: &mut Unstructured<'_>, stage: &Stage, host: &mut Driven, sent: &[String]) {
    if host.calls.is_empty() {
        return;
    }
    let call = pick(u, &host.calls);
    // Now and then it is answered twice.
    if !one_in(u, 8) {
        host.calls.retain(|other| other.name != call.name);
    }
    if one_in(u, 8) {
        host.hand(Input::NoAnswer { call: call.name, reason: text(u) });
        return;
    }
    let status = status(u);
    let body = body(u, stage, host, &call, sent);
    let bytes = (call.wants_bytes && status == 200).then(|| match byte(u) % 2 {
        0 => sealed_artifact().0,
        _ => body.clone().into_bytes(),
    });
    let retry_after = pick(u, &[None, Some(0), Some(60), Some(u32::MAX)]);
    let date = pick(u, &[None, Some(host.now), Some(0), Some(u64::MAX)]);
    host.hand(Input::Answer { call: call.name, status, retry_after, date, body, bytes });
}

fn command(u: &mut Unstructured<'_>, stage: &Stage, host: &Driven) -> Command {
    let bonds: Vec<String> = host.engine.bonds().into_iter().flat_map(|bond| [bond.id, bond.petname]).collect();
    let bond = if bonds.is_empty() { "nobody".to_owned() } else { pick(u, &bonds) };
    let thread = match byte(u) % 4 {
        0 => text(u),
        1 => "t".to_owned(),
        _ => stage.thread.clone(),
    };
    let pendings: Vec<String> = host.engine.pendings().into_iter().map(|item| item.id).collect();
    let pending = if pendings.is_empty() { text(u) } else { pick(u, &pendings) };
    let relay = pick(u, &[format!("https://{HOST}"), "http://127.0.0.1:1/x".to_owned(), "ftp://x".to_owned()]);
    match byte(u) % 24 {
        0 => Command::Label { label: one_in(u, 2).then(|| text(u)) },
        1 | 2 => Command::Invite {
            form: pick(u, &[Form::Words, Form::Digits, Form::Link]),
            scope: pick(u, &[vec!["message"], vec!["negotiate", "message"], vec!["other"], vec![]])
                .into_iter()
                .map(str::to_owned)
                .collect(),
            mode: pick(u, &["bonded_contact", "ephemeral_until_session_closes", ""]).to_owned(),
            relay,
            petname: one_in(u, 2).then(|| text(u)),
        },
        3 => {
            let pairings: Vec<String> = host.engine.pairings().into_iter().map(|pairing| pairing.id).collect();
            Command::CancelPairing { pairing: if pairings.is_empty() { text(u) } else { pick(u, &pairings) } }
        }
        4 | 5 => {
            let code = match byte(u) % 4 {
                0 => text(u),
                1 => "42-oasis-aardvark-zucchini".to_owned(),
                2 => "123-456".to_owned(),
                _ => format!("l{0}.{0}", "AAAAAAAAAAAAAAAAAAAAAA"),
            };
            Command::Join { code, relay, petname: None }
        }
        6..=9 => decide(u, host, pending),
        10 => approver(u, host),
        11 => Command::Read { up_to: pick(u, &[0, 1, 5, u64::MAX]) },
        12 => Command::Brake { bond, why: text(u) },
        13 => Command::Restored,
        14 => Command::Reissue { pending },
        15 => Command::Verify { bond, number: text(u) },
        16 => Command::Rename { bond, petname: text(u) },
        17 => Command::Send {
            bond,
            body: if one_in(u, 16) { "x".repeat(50_000) } else { text(u) },
            kind: one_in(u, 2).then(|| text(u)),
            thread: one_in(u, 2).then_some(thread),
            ttl: pick(u, &[None, Some(0), Some(60), Some(u32::MAX)]),
        },
        18 => Command::Close { bond, thread, reason: one_in(u, 2).then(|| text(u)) },
        19 => Command::Open { bond, terms: terms(u) },
        20 => Command::Turn {
            bond,
            thread,
            kind: pick(u, &[TurnKind::Propose, TurnKind::Counter, TurnKind::Accept]),
            body: text(u),
            deliverable: (!one_in(u, 4)).then(|| deliverable(u, stage)),
            sha256: one_in(u, 4).then(|| stage.deliverable.describe().sha256),
        },
        21 => {
            let sha256 = if one_in(u, 8) { text(u) } else { stage.deliverable.describe().sha256 };
            Command::Sign { bond, thread, sha256 }
        }
        22 => Command::Extend { bond, thread, max_turns: pick(u, &[0, 6, 7, 1_000, 1_001, u32::MAX]) },
        _ => Command::Revoke { bond, reason: one_in(u, 2).then(|| text(u)) },
    }
}

fn terms(u: &mut Unstructured<'_>) -> Open {
    let deadline = pick(u, &["2027-01-20T00:00:00Z", "1970-01-01T00:00Z", "9999-12-31T23:59:59Z", "tomorrow"]);
    Open {
        goal: text(u),
        acceptance: Vec::new(),
        budget: Budget { max_turns: pick(u, &[0, 1, 6, 1_000, u32::MAX]), deadline: deadline.to_owned() },
        mandate: Mandate::default(),
        from: one_in(u, 4).then(|| text(u)),
        supersedes: pick(u, &[None, Some("ab".repeat(32)), Some("x".to_owned())]),
    }
}

fn deliverable(u: &mut Unstructured<'_>, stage: &Stage) -> Deliverable {
    let text = match byte(u) % 4 {
        0 => text(u),
        1 => "[2]".to_owned(),
        _ => stage.deliverable.text.clone(),
    };
    Deliverable { text, ..stage.deliverable.clone() }
}

/// The key that approves where the story sets a PIN.
fn approving(n: u8) -> Keypair {
    Keypair::from_seed([n; 32])
}

fn approver(u: &mut Unstructured<'_>, host: &Driven) -> Command {
    let (next, before) = (approving(byte(u) % 3), approving(byte(u) % 3));
    let approver = Approver { id: next.agent_id().clone(), salt: "AAAA".to_owned(), sealed: "AAAA".to_owned() };
    let approver = (!one_in(u, 4)).then_some(approver);
    let version = u64::from(byte(u) % 4);
    let handover = Handover { from: before.agent_id(), version, to: approver.as_ref().map(|approver| &approver.id) };
    let has_one = host.engine.host().is_ok_and(|view| view.approver.is_some());
    Command::Approver { proof: has_one.then(|| handover.sign(&before)), approver }
}

fn decide(u: &mut Unstructured<'_>, host: &Driven, pending: String) -> Command {
    let (yes, no) = host.codes.get(&pending).cloned().unwrap_or_default();
    let (code, decision) = match byte(u) % 8 {
        0 => (text(u), None),
        1 => (no.clone(), Some(Decision::Approve)),
        2 | 3 => (no.clone(), None),
        _ => (yes, None),
    };
    let taken = if code == no { Decision::Reject } else { Decision::Approve };
    let item = host.engine.pendings().into_iter().find(|item| item.id == pending);
    let agreement = item.as_ref().map_or_else(String::new, |item| {
        item.shown.iter().find(|line| line.label == "agreement").map_or_else(String::new, |line| line.text.clone())
    });
    let has_one = host.engine.host().is_ok_and(|view| view.approver.is_some());
    let proof = item.filter(|_| has_one && !one_in(u, 4)).map(|item| {
        Approval { pending: &pending, decision: taken, digest: &item.digest, agreement: &agreement }
            .sign(&approving(byte(u) % 3))
    });
    let channel = pick(u, &["file", "", "Not A Channel"]).to_owned();
    Command::Decide { pending, code, channel, reason: one_in(u, 2).then(|| text(u)), decision, proof }
}
