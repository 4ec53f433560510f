//! The host around the engine: carries out its effects, and checks after each step what always holds.

use std::collections::{BTreeMap, BTreeSet};

use agentpair_protocol::audit::{self, AuditRecord};
use agentpair_protocol::base64url;
use agentpair_protocol::challenge::{Purpose, issue};
use agentpair_protocol::engine::{Command, Effect, Engine, FeedItem, Input, Log, Record};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::relay::HOST;
use super::stages::Stage;

/// A call that the engine waits for.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) wants_bytes: bool,
}

/// The engine under test, its store, and what it waits for.
pub(super) struct Driven {
    pub(super) engine: Engine,
    pub(super) now: u64,
    pub(super) calls: Vec<Call>,
    pub(super) streams: Vec<String>,
    pub(super) codes: BTreeMap<String, (String, String)>,
    records: BTreeMap<String, String>,
    audit: Vec<AuditRecord>,
    feed: u64,
    entropy: u64,
    wake: u64,
    /// Bond's own id, thread and number of every envelope that left, with its text.
    sealed: BTreeMap<(String, String, u64), String>,
    nonces: BTreeSet<String>,
}

/// The latest instant that a host can say: 2^53 - 1, less what the engine adds to it.
pub(super) const LATEST: u64 = (1 << 53) - 1 - (1 << 40);

impl Driven {
    pub(super) fn new(stage: &Stage) -> Self {
        let engine = Engine::restore(&stage.records).expect("our own records");
        let feed = engine.host().map_or(0, |host| host.feed);
        let records =
            stage.records.iter().filter_map(|record| Some((record.key.clone(), record.value.clone()?))).collect();
        Self {
            engine,
            now: stage.now,
            calls: Vec::new(),
            streams: Vec::new(),
            codes: stage.codes.clone(),
            records,
            audit: Vec::new(),
            feed,
            entropy: 0xf0f0 << 32,
            wake: 0,
            sealed: BTreeMap::new(),
            nonces: BTreeSet::new(),
        }
    }

    /// Rises with every step.
    pub(super) fn steps(&self) -> u64 {
        self.entropy & 0xffff_ffff
    }

    /// SHA-256 of the terms of the session on a thread, as they went over the wire.
    pub(super) fn terms(&self, thread: &str) -> Option<[u8; 32]> {
        let sessions = self.records.iter().filter(|(key, _)| key.starts_with("session/"));
        let mut parsed = sessions.filter_map(|(_, value)| serde_json::from_str::<Value>(value).ok());
        let session = parsed.find(|session| session["thread"] == thread)?;
        Some(Sha256::digest(session["plaintexts"][0].as_str()?).into())
    }

    fn stored(&self) -> Vec<Record> {
        let record = |(key, value): (&String, &String)| Record { key: key.clone(), value: Some(value.clone()) };
        self.records.iter().map(record).collect()
    }

    /// One step. Whether it was taken.
    pub(super) fn hand(&mut self, input: Input) -> bool {
        self.entropy += 1;
        let mut entropy = [0; 32];
        entropy[..8].copy_from_slice(&self.entropy.to_le_bytes());
        let shown = format!("{input:.2000?}");
        let result = self.engine.handle(self.now, entropy, input);
        if let Err(failure) = &result {
            assert_ne!(failure.blame(), "bug", "{failure} after {shown}");
        }
        let mut count = 0;
        let mut is_stored = result.is_err();
        while let Some(effect) = self.engine.poll() {
            assert!(result.is_ok(), "a step that failed has no effect");
            is_stored |= self.carry_out(effect, count == 0);
            count += 1;
        }
        if is_stored {
            let restored = Engine::restore(&self.stored()).expect("what is persisted is taken back");
            assert_eq!(views(&restored), views(&self.engine), "what is persisted is what there is, after {shown}");
        }
        result.is_ok()
    }

    /// Whether it was a `persist`.
    fn carry_out(&mut self, effect: Effect, is_first: bool) -> bool {
        match effect {
            Effect::Persist { records, entries } => {
                assert!(is_first, "at most one persist, and first");
                for Record { key, value } in records {
                    match value {
                        Some(value) => self.records.insert(key, value),
                        None => self.records.remove(&key),
                    };
                }
                for entry in entries {
                    match entry.log {
                        Log::Audit => self.audit.push(AuditRecord::parse(&entry.value).unwrap()),
                        Log::Feed => {
                            self.feed += 1;
                            assert_eq!((FeedItem::parse(&entry.value).unwrap().n, entry.n), (self.feed, self.feed));
                        }
                    }
                }
                return true;
            }
            Effect::Call { call, method, path, body, wants_bytes, .. } => {
                if method == "POST" && path.starts_with("/inbox/") {
                    self.posted(&body.expect("an envelope"));
                }
                self.calls.push(Call { name: call, method, path, wants_bytes });
            }
            Effect::OpenStream { stream, .. } => self.streams.push(stream),
            Effect::CloseStream { stream } => self.streams.retain(|other| *other != stream),
            Effect::AskHuman { pending, approve_code, reject_code } => {
                assert_ne!(approve_code, reject_code);
                self.codes.insert(pending.id, (approve_code, reject_code));
            }
            Effect::Withdraw { pending } => {
                self.codes.remove(&pending);
            }
            Effect::WakeAt { at } => self.wake = at,
            Effect::StreamSend { .. } | Effect::Emit { .. } => {}
        }
        false
    }

    /// No number and no nonce is used twice.
    fn posted(&mut self, wire: &str) {
        let outer: Value = serde_json::from_str(wire).expect("an envelope is JSON");
        let blob = base64url::decode(outer["blob"].as_str().unwrap()).unwrap();
        let body: Value = serde_json::from_slice(&blob).unwrap();
        let text = |key: &str| body[key].as_str().unwrap().to_owned();
        let place = (text("from"), text("thread"), body["seq"].as_u64().unwrap());
        let payload = base64url::decode(&text("payload")).unwrap();
        let nonce = base64url::encode(&payload[..24]);
        match self.sealed.get(&place) {
            Some(before) => assert_eq!(before, wire, "one number, one envelope"),
            None => {
                assert!(self.nonces.insert(nonce), "one nonce, one envelope");
                self.sealed.insert(place, wire.to_owned());
            }
        }
    }

    /// Goes online, and answers what asks for a challenge, so that streams open.
    pub(super) fn settle_network(&mut self) {
        self.hand(Input::Network { online: true });
        for call in self.calls.clone() {
            if let Some(answer) = self.challenge(&call)
                && call.path.ends_with("/live")
            {
                self.calls.retain(|other| other.name != call.name);
                self.answer(&call, 401, answer);
            }
        }
        for stream in self.streams.clone() {
            self.hand(Input::StreamOpened { stream });
        }
    }

    pub(super) fn answer(&mut self, call: &Call, status: u16, body: String) -> bool {
        let (call, retry_after, date, bytes) = (call.name.clone(), None, None, None);
        self.hand(Input::Answer { call, status, retry_after, date, body, bytes })
    }

    /// The challenge that an honest relay would answer a call with.
    pub(super) fn challenge(&self, call: &Call) -> Option<String> {
        let inbox = call.path.strip_prefix("/inbox/")?;
        let subject = inbox.split(['/', '?']).next()?;
        let purpose = match (call.method.as_str(), inbox.ends_with("/live")) {
            ("GET", true) => Purpose::Live,
            ("GET", false) => Purpose::Pull,
            ("DELETE", _) => Purpose::Trim,
            _ => return None,
        };
        let expiry = u32::try_from(self.now / 1_000 + 60).unwrap_or(u32::MAX);
        let text = issue(&[7; 32], subject, purpose, HOST, expiry, [1; 5]).ok()?;
        Some(format!("{{\"challenge\":\"{text}\",\"expires_at\":{}}}", self.now + 60_000))
    }

    /// Lets time pass.
    pub(super) fn pass(&mut self, ms: u64) {
        self.now = self.now.saturating_add(ms).min(LATEST);
        self.hand(Input::Tick);
        assert!(self.wake > self.now, "the engine does not ask to be woken at once, again and again");
    }

    /// Kills the host, and starts it from its store.
    pub(super) fn restart(&mut self) {
        self.engine = Engine::restore(&self.stored()).expect("what is persisted is taken back");
        self.calls.clear();
        self.streams.clear();
        self.hand(Input::Network { online: true });
        let lost = self.engine.pendings().into_iter().map(|item| item.id).filter(|id| !self.codes.contains_key(id));
        for pending in lost.collect::<Vec<_>>() {
            self.hand(Input::Command { command: Command::Reissue { pending } });
        }
    }

    /// What holds at the end: one chain of acts.
    pub(super) fn finish(&self) {
        assert!(audit::verify(&self.audit).is_ok(), "the audit log is one chain");
    }
}

/// All that an engine shows, as one text.
pub(super) fn views(engine: &Engine) -> String {
    let bonds = engine.bonds();
    let sessions = engine.sessions();
    let mut pairings = engine.pairings();
    // The trouble with a relay is not stored.
    pairings.iter_mut().for_each(|pairing| pairing.trouble = None);
    let mut text = format!(
        "{:?}\n{pairings:?}\n{bonds:?}\n{sessions:?}\n{:?}\n{:?}",
        engine.host(),
        engine.pendings(),
        engine.outbox()
    );
    for session in &sessions {
        text.push_str(&format!("\n{:?}", engine.turns(&session.bond, &session.thread)));
        if let Some(receipt) = engine.receipt(&session.bond, &session.thread) {
            text.push_str(&receipt);
        }
    }
    text
}
