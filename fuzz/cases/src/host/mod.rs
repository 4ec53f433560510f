//! One engine among inputs that nobody sane would hand it.

mod drive;
mod letters;
mod menu;
mod sequence;
mod stages;

// The engine's own tests have hosts and a relay in memory: what they lead to is where these targets begin.
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../../protocol/tests/engine/relay.rs"]
mod relay;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../../protocol/tests/engine/world.rs"]
mod world;

use agentpair_protocol::engine::{Engine, Input, Record};

use self::drive::Driven;
use self::stages::STAGES;
use crate::choose;

pub use self::sequence::engine;

/// One answer or one frame, as raw bytes, to an engine that waits for it: how pages, frames, slots, invites, challenges
/// and errors of a relay are parsed.
pub fn answers(data: &[u8]) {
    let (stage, rest) = choose(data);
    let (which, rest) = choose(rest);
    let (status, body) = choose(rest);
    let stage = &STAGES[usize::from(stage) % STAGES.len()];
    let mut host = Driven::new(stage);
    host.settle_network();
    let text = String::from_utf8_lossy(body).into_owned();
    let status = [200, 201, 204, 304, 400, 401, 403, 404, 409, 410, 412, 413, 429, 503][usize::from(status) % 14];
    let waiting = host.calls.len() + host.streams.len();
    if waiting == 0 {
        return;
    }
    let which = usize::from(which) % waiting;
    let input = match host.calls.get(which) {
        Some(call) => Input::Answer {
            call: call.name.clone(),
            status,
            retry_after: None,
            date: None,
            bytes: (call.wants_bytes && status == 200).then(|| body.to_vec()),
            body: text,
        },
        None => Input::StreamFrame { stream: host.streams[which - host.calls.len()].clone(), text },
    };
    host.hand(input);
    host.pass(5_000);
}

/// A store with a few records of somebody else's: refused, or taken; nothing in between.
pub fn store(data: &[u8]) {
    let (stage, rest) = choose(data);
    let stage = &STAGES[usize::from(stage) % STAGES.len()];
    let text = String::from_utf8_lossy(rest);
    let strange = text.lines().map(|line| match line.split_once('\t') {
        Some((key, value)) => Record { key: key.to_owned(), value: Some(value.to_owned()) },
        None => Record { key: line.to_owned(), value: None },
    });
    let mut records = stage.records.clone();
    records.extend(strange.clone());
    let restored = Engine::restore(&records);
    // Another process's changes are taken over by the same rule.
    let mut engine = Engine::restore(&stage.records).expect("our own records");
    let strange: Vec<Record> = strange.collect();
    let applied = engine.apply(&strange);
    if restored.is_ok() {
        assert_eq!(applied, Ok(()));
    }
    if let Ok(engine) = restored {
        drive::views(&engine);
    }
}
