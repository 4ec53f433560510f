//! Hosts and a relay in one process, with one clock.

use std::collections::{BTreeMap, VecDeque};

use agentpair_protocol::bond::BondStatus;
use agentpair_protocol::engine::view::SessionView;
use agentpair_protocol::engine::{Command, Effect, Engine, Event, FeedItem, Input, Log, Record, Reply};
use agentpair_protocol::error::Failure;
use agentpair_protocol::pairing::code::Form;

use super::relay::{HOST, Relay, Reply as RelayReply};

/// One host with its store.
pub(crate) struct Host {
    pub(crate) engine: Engine,
    pub(crate) records: BTreeMap<String, String>,
    pub(crate) feed: Vec<FeedItem>,
    pub(crate) audit: Vec<agentpair_protocol::audit::AuditRecord>,
    pub(crate) codes: BTreeMap<String, (String, String)>,
    wake: u64,
    held: Vec<(String, String, u64)>,
    streams: BTreeMap<String, (String, u64)>,
    effects: VecDeque<Effect>,
    entropy: u64,
    /// Nothing of its inbox comes through.
    pub(crate) hears_nothing: bool,
    /// Calls that get no answer, although the relay carried them out.
    pub(crate) lose_answers: bool,
}

impl Host {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            engine: Engine::restore(&[]).unwrap(),
            records: BTreeMap::new(),
            feed: Vec::new(),
            audit: Vec::new(),
            codes: BTreeMap::new(),
            wake: 0,
            held: Vec::new(),
            streams: BTreeMap::new(),
            effects: VecDeque::new(),
            entropy: seed << 32,
            lose_answers: false,
            hears_nothing: false,
        }
    }

    pub(crate) fn events(&self) -> impl Iterator<Item = &Event> {
        self.feed.iter().map(|item| &item.event)
    }

    pub(crate) fn messages(&self) -> Vec<&str> {
        self.events()
            .filter_map(|e| if let Event::Message { body, .. } = e { Some(body.as_str()) } else { None })
            .collect()
    }
}

pub(crate) struct World {
    pub(crate) now: u64,
    pub(crate) relay: Relay,
    pub(crate) hosts: Vec<Host>,
    /// What the relay says that the time is.
    pub(crate) relay_date: Option<u64>,
}

/// A code that was read in an approval file.
pub(crate) fn decide(pending: &str, code: String) -> Command {
    Command::Decide {
        pending: pending.to_owned(),
        code,
        channel: "file".to_owned(),
        reason: None,
        decision: None,
        proof: None,
    }
}

pub(crate) const ALICE: usize = 0;
pub(crate) const BOB: usize = 1;

impl World {
    pub(crate) fn new(has_streams: bool) -> Self {
        let mut relay = Relay::default();
        relay.has_streams = has_streams;
        let mut world =
            Self { now: 1_800_000_000_000, relay, hosts: vec![Host::new(1), Host::new(2)], relay_date: None };
        for n in 0..world.hosts.len() {
            world.input(n, Input::Network { online: true }).unwrap();
        }
        world
    }

    pub(crate) fn input(&mut self, n: usize, input: Input) -> Result<Reply, Failure> {
        let now = self.now;
        let host = &mut self.hosts[n];
        host.entropy += 1;
        let mut entropy = [0; 32];
        entropy[..8].copy_from_slice(&host.entropy.to_le_bytes());
        let result = host.engine.handle(now, entropy, input);
        while let Some(effect) = host.engine.poll() {
            host.effects.push_back(effect);
        }
        result
    }

    pub(crate) fn command(&mut self, n: usize, command: Command) -> Result<Reply, Failure> {
        let result = self.input(n, Input::Command { command });
        self.settle();
        result
    }

    /// Lets everything happen that can happen now.
    pub(crate) fn settle(&mut self) {
        for _ in 0..200_000 {
            if !self.step_one() {
                return;
            }
        }
        panic!("the world does not come to rest");
    }

    fn step_one(&mut self) -> bool {
        for n in 0..self.hosts.len() {
            if let Some(effect) = self.hosts[n].effects.pop_front() {
                self.carry_out(n, effect);
                return true;
            }
            let held = self.hosts[n].held.clone();
            for (at, (call, path, _)) in held.iter().enumerate() {
                if let RelayReply::Now(status, body) = self.relay.request("GET", path, &[], "", self.now) {
                    self.hosts[n].held.remove(at);
                    self.answer(n, call, status, body);
                    return true;
                }
            }
            let streams = if self.hosts[n].hears_nothing { BTreeMap::new() } else { self.hosts[n].streams.clone() };
            for (stream, (inbox, sent)) in streams {
                if let Some((rowid, wire)) = self.relay.next_row(&inbox, sent) {
                    self.hosts[n].streams.get_mut(&stream).unwrap().1 = rowid;
                    let text = format!("{{\"rowid\":{rowid},\"envelope\":{wire}}}");
                    self.input(n, Input::StreamFrame { stream, text }).unwrap();
                    return true;
                }
            }
        }
        false
    }

    fn answer(&mut self, n: usize, call: &str, status: u16, body: String) {
        let input = if self.hosts[n].lose_answers {
            Input::NoAnswer { call: call.to_owned(), reason: "lost".to_owned() }
        } else {
            Input::Answer { call: call.to_owned(), status, retry_after: None, date: self.relay_date, body, bytes: None }
        };
        self.input(n, input).unwrap();
    }

    fn transfer(&mut self, n: usize, call: &str, hash: &str, bytes: Option<Vec<u8>>) {
        let (status, bytes) = match bytes {
            Some(mut bytes) => {
                if self.relay.swallow == Some(true) {
                    bytes.reverse();
                }
                if self.relay.swallow != Some(false) {
                    self.relay.artifacts.insert(hash.to_owned(), bytes);
                }
                (204, None)
            }
            None => match self.relay.artifacts.get(hash) {
                Some(bytes) => (200, Some(bytes.clone())),
                None => (404, None),
            },
        };
        let body = if status == 404 { "{\"error\":\"artifact_not_found\"}" } else { "" }.to_owned();
        self.input(n, Input::Answer { call: call.to_owned(), status, retry_after: None, date: None, body, bytes })
            .unwrap();
    }

    fn carry_out(&mut self, n: usize, effect: Effect) {
        match effect {
            Effect::Persist { records, entries } => {
                let host = &mut self.hosts[n];
                for Record { key, value } in records {
                    match value {
                        Some(value) => host.records.insert(key, value),
                        None => host.records.remove(&key),
                    };
                }
                for entry in entries {
                    match entry.log {
                        Log::Feed => host.feed.push(serde_json::from_str(&entry.value).unwrap()),
                        Log::Audit => host.audit.push(serde_json::from_str(&entry.value).unwrap()),
                    }
                }
            }
            Effect::Call { call, relay, method, path, headers, body, bytes, .. } => {
                assert_eq!(relay, format!("https://{HOST}"));
                self.relay.seen.push(format!("{method} {path} {headers:?}"));
                if let Some(hash) = path.strip_prefix("/artifact/") {
                    return self.transfer(n, &call, hash, bytes);
                }
                match self.relay.request(&method, &path, &headers, body.as_deref().unwrap_or_default(), self.now) {
                    RelayReply::Now(status, body) => self.answer(n, &call, status, body),
                    RelayReply::Hold => self.hosts[n].held.push((call, path, self.now + 25_000)),
                }
            }
            Effect::OpenStream { stream, path, .. } => {
                self.relay.seen.push(path.clone());
                let (inbox, query) = path.trim_start_matches("/inbox/").split_once("/live?since=").unwrap();
                let since = query.split('&').next().unwrap().parse().unwrap();
                self.hosts[n].streams.insert(stream.clone(), (inbox.to_owned(), since));
                self.input(n, Input::StreamOpened { stream: stream.clone() }).unwrap();
                self.input(n, Input::StreamFrame { stream, text: "{\"epoch\":\"one\"}".to_owned() }).unwrap();
            }
            Effect::StreamSend { stream, text } => {
                let through = text.trim_start_matches("{\"ack\":").trim_end_matches('}').parse().unwrap();
                if let Some((inbox, _)) = self.hosts[n].streams.get(&stream).cloned() {
                    self.relay.trim(&inbox, through);
                }
            }
            Effect::CloseStream { stream } => {
                self.hosts[n].streams.remove(&stream);
            }
            Effect::AskHuman { pending, approve_code, reject_code } => {
                self.hosts[n].codes.insert(pending.id, (approve_code, reject_code));
            }
            Effect::Withdraw { pending } => {
                self.hosts[n].codes.remove(&pending);
            }
            Effect::Emit { .. } => {}
            Effect::WakeAt { at } => self.hosts[n].wake = at,
        }
    }

    /// Lets time pass, stopping at every instant at which somebody wants to be woken.
    pub(crate) fn pass(&mut self, ms: u64) {
        let end = self.now + ms;
        self.settle();
        loop {
            let wake = self.hosts.iter().map(|h| h.wake.max(self.now + 1)).min().unwrap_or(end);
            let held = self.hosts.iter().flat_map(|h| h.held.iter().map(|(_, _, until)| *until)).min().unwrap_or(end);
            self.now = wake.min(held).min(end);
            for n in 0..self.hosts.len() {
                let due: Vec<_> =
                    self.hosts[n].held.iter().filter(|(_, _, until)| *until <= self.now).cloned().collect();
                for (call, path, _) in due {
                    self.hosts[n].held.retain(|(other, _, _)| *other != call);
                    let (status, body) = self.relay.release(&path);
                    self.answer(n, &call, status, body);
                }
                if self.hosts[n].wake <= self.now {
                    self.input(n, Input::Tick).unwrap();
                }
            }
            self.settle();
            if self.now >= end {
                return;
            }
        }
    }

    /// Kills a host between two effects and starts it from its store.
    pub(crate) fn restart(&mut self, n: usize) {
        let host = &mut self.hosts[n];
        let records: Vec<Record> =
            host.records.iter().map(|(key, value)| Record { key: key.clone(), value: Some(value.clone()) }).collect();
        host.engine = Engine::restore(&records).unwrap();
        host.effects.clear();
        host.held.clear();
        host.streams.clear();
        self.input(n, Input::Network { online: true }).unwrap();
        let lost: Vec<String> = self.hosts[n]
            .engine
            .pendings()
            .into_iter()
            .map(|p| p.id)
            .filter(|id| !self.hosts[n].codes.contains_key(id))
            .collect();
        for pending in lost {
            self.input(n, Input::Command { command: Command::Reissue { pending } }).unwrap();
        }
    }

    /// The human of a host decides everything that waits.
    pub(crate) fn decide_all(&mut self, n: usize, approve: bool) -> usize {
        let pendings = self.hosts[n].engine.pendings();
        for pending in &pendings {
            let (yes, no) = self.hosts[n].codes[&pending.id].clone();
            let code = if approve { yes } else { no };
            assert!(self.command(n, decide(&pending.id, code)).unwrap().decision.is_some());
        }
        pendings.len()
    }

    pub(crate) fn invite(&mut self, form: Form) -> (String, String) {
        self.invite_as(form, "bonded_contact")
    }

    fn invite_as(&mut self, form: Form, mode: &str) -> (String, String) {
        let command = Command::Invite {
            form,
            scope: vec!["message".to_owned(), "negotiate".to_owned()],
            mode: mode.to_owned(),
            relay: format!("https://{HOST}"),
            petname: Some("bob".to_owned()),
        };
        let pairing = self.command(ALICE, command).unwrap().pairing.unwrap();
        let view = self.hosts[ALICE].engine.pairings().into_iter().find(|p| p.id == pairing).unwrap();
        (pairing, view.code.expect("the invite is published"))
    }

    pub(crate) fn join(&mut self, code: &str) -> Result<Reply, Failure> {
        let petname = Some("alice".to_owned());
        self.command(BOB, Command::Join { code: code.to_owned(), relay: format!("https://{HOST}"), petname })
    }

    /// Pairs the two hosts.
    pub(crate) fn pair(&mut self, form: Form) {
        self.pair_as(form, "bonded_contact");
    }

    /// Pairs the two hosts for as long as the mode says.
    pub(crate) fn pair_as(&mut self, form: Form, mode: &str) {
        let (_, code) = self.invite_as(form, mode);
        self.join(&code).unwrap();
        assert_eq!(self.decide_all(BOB, true), 1);
        self.pass(5_000);
    }

    pub(crate) fn outcome(&self, n: usize) -> Option<String> {
        self.hosts[n].engine.pairings().into_iter().filter_map(|p| p.outcome).next_back()
    }

    pub(crate) fn status(&self, n: usize) -> Option<BondStatus> {
        self.hosts[n].engine.bonds().last().map(|bond| bond.status)
    }

    pub(crate) fn session(&self, n: usize) -> SessionView {
        self.hosts[n].engine.sessions().into_iter().next_back().expect("a session")
    }
}
