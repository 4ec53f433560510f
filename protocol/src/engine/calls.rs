//! Calls: which ones are wanted now, what they ask, and what follows from the answer.

use super::Engine;
use super::effect::Effect;
use super::network::{Flight, Task};
use super::step::Step;
use crate::base64url;
use crate::bond::Bond;
use crate::challenge::{self, Purpose};
use crate::error::{Bug, Failure};
use crate::identity::Keypair;
use crate::json::FlatObject;
use crate::limits::{HOUR_MS, MINUTE_MS};

/// An answer of a relay.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) retry_after: Option<u32>,
    pub(super) body: String,
    pub(super) bytes: Option<Vec<u8>>,
}

impl Answer {
    /// The relay's error string, or a word for an answer without one.
    pub(super) fn code(&self) -> String {
        FlatObject::parse(self.body.as_bytes())
            .ok()
            .and_then(|object| object.text("error").map(str::to_owned))
            .filter(|code| {
                code.len() <= 64 && code.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            })
            .unwrap_or_else(|| "nonsense".to_owned())
    }

    /// Whether trying the same again later may help.
    fn is_transient(&self) -> bool {
        self.status == 429 || self.status >= 500 || self.status == 408
    }
}

/// A request before it has a name.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) relay: String,
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<String>,
    pub(super) bytes: Option<Vec<u8>>,
    pub(super) timeout_ms: u32,
    pub(super) answer_limit: u32,
    pub(super) wants_bytes: bool,
}

/// Time for one request.
pub(super) const TIMEOUT_MS: u32 = 10_000;
/// Time for a request that the relay may hold for 25 s.
pub(super) const LONG_POLL_MS: u32 = 35_000;
/// Largest answer that is read as text: a page of 1 MiB, escaped and wrapped, fits easily.
const ANSWER_BYTES: u32 = 8 * 1024 * 1024;
/// Longest pause between two attempts to reach a peer whose inbox takes nothing.
const PEER_RETRY_CAP_MS: u64 = 5 * MINUTE_MS;
/// Longest pause between two attempts of most tasks.
pub(super) const RETRY_CAP_MS: u64 = 30_000;

impl Request {
    pub(super) fn new(relay: &str, method: &'static str, path: String) -> Self {
        Self {
            relay: relay.to_owned(),
            method,
            path,
            headers: Vec::new(),
            body: None,
            bytes: None,
            timeout_ms: TIMEOUT_MS,
            answer_limit: ANSWER_BYTES,
            wants_bytes: false,
        }
    }

    pub(super) fn json(mut self, body: String) -> Self {
        self.headers.push(("content-type".to_owned(), "application/json".to_owned()));
        self.body = Some(body);
        self
    }

    pub(super) fn header(mut self, name: &str, value: String) -> Self {
        self.headers.push((name.to_owned(), value));
        self
    }

    pub(super) fn with_bytes(mut self, bytes: Vec<u8>) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// The answer is not text, and at most `limit` bytes long.
    pub(super) fn for_bytes(mut self, limit: u32) -> Self {
        self.wants_bytes = true;
        self.answer_limit = limit;
        self
    }

    pub(super) fn within(mut self, timeout_ms: u32) -> Self {
        self.timeout_ms = timeout_ms;
        self
    }
}

impl Engine {
    /// Starts every call that the state asks for and that is not under way.
    pub(super) fn pump(&mut self, step: &mut Step) -> Result<(), Bug> {
        if !self.network.online {
            return Ok(());
        }
        self.tend_links(step);
        let mut wanted = self.wanted_registrations(step.now);
        wanted.extend(self.wanted_posts());
        wanted.extend(self.wanted_fetches());
        wanted.extend(self.wanted_links());
        wanted.extend(self.wanted_pairing_calls());
        for task in wanted {
            if self.network.may_start(&task, step.now)
                && let Some(request) = self.request(&task)?
            {
                self.start(step, task, request, false);
            }
        }
        Ok(())
    }

    fn request(&mut self, task: &Task) -> Result<Option<Request>, Bug> {
        Ok(match task {
            Task::Register(bond, _) => self.register_request(bond),
            Task::Post(bond, n) => self.post_request(bond, *n),
            Task::Listen(bond) | Task::Pull(bond) | Task::Trim(bond) => self.link_request(task, bond, ""),
            Task::Publish(id) => self.publish_request(id)?,
            Task::Unpublish(id) => self.unpublish_request(id),
            Task::Claim(id) => self.claim_request(id),
            Task::ReadSlot(id) => self.read_slot_request(id),
            Task::WriteSlot(id) => self.write_slot_request(id),
            Task::Upload(bond, hash) => self.upload_request(bond, hash),
            Task::Fetch(bond, key) => self.fetch_request(bond, key),
        })
    }

    pub(super) fn start(&mut self, step: &mut Step, task: Task, request: Request, is_signed: bool) {
        let call = self.network.name('c');
        let flight = Flight { task, is_signed, relay: request.relay.clone() };
        self.network.flights.insert(call.clone(), flight);
        let Request { relay, method, path, headers, body, bytes, timeout_ms, answer_limit, wants_bytes } = request;
        step.effect(Effect::Call {
            call,
            relay,
            method: method.to_owned(),
            path,
            headers,
            body,
            bytes,
            timeout_ms,
            answer_limit,
            wants_bytes,
        });
    }

    /// A call got no answer.
    pub(super) fn on_no_answer(&mut self, step: &mut Step, call: &str, _reason: &str) -> Result<(), Failure> {
        let Some(flight) = self.network.flights.remove(call) else {
            return Ok(());
        };
        self.fail(step, flight, "no_answer", None)
    }

    /// A relay answered. An answer to a call that this process did not make is ignored.
    pub(super) fn on_answer(&mut self, step: &mut Step, call: &str, answer: &Answer) -> Result<(), Failure> {
        let Some(flight) = self.network.flights.remove(call) else {
            return Ok(());
        };
        if answer.is_transient() {
            return self.fail(step, flight, &answer.code(), answer.retry_after);
        }
        let Flight { task, is_signed, relay } = flight;
        let outcome = match &task {
            Task::Register(bond, version) => self.on_registered(step, bond, *version, answer)?,
            Task::Post(bond, n) => self.on_posted(step, bond, *n, answer)?,
            Task::Listen(bond) | Task::Pull(bond) | Task::Trim(bond) => {
                self.on_link_answer(step, &task, bond, answer, is_signed)?
            }
            Task::Publish(id) => self.on_published(step, id, answer)?,
            Task::Unpublish(id) => self.on_unpublished(id, answer),
            Task::Claim(id) => self.on_claimed(step, id, answer)?,
            Task::ReadSlot(id) => self.on_slot_read(step, id, answer)?,
            Task::WriteSlot(id) => self.on_slot_written(step, id, answer)?,
            Task::Upload(bond, hash) => self.on_uploaded(step, bond, hash, answer)?,
            Task::Fetch(bond, key) => self.on_fetched(step, bond, key, answer)?,
        };
        match outcome {
            Outcome::Done => {
                self.network.done(&task);
                self.note_trouble(step, &relay, None)?;
            }
            Outcome::Paused(until) => self.network.pause(task, until),
            Outcome::Failed(code) => self.fail(step, Flight { task, is_signed, relay }, &code, answer.retry_after)?,
            Outcome::Continued => {}
        }
        Ok(())
    }

    fn fail(&mut self, step: &mut Step, flight: Flight, code: &str, retry_after: Option<u32>) -> Result<(), Failure> {
        let Flight { task, relay, .. } = flight;
        self.link_failed(&task, step.now);
        // That one is about the peer's inbox: the relay does what it should, and the peer may be away for long.
        let is_about_peer = code == "recipient_not_allowed";
        let cap = match &task {
            Task::Post(bond, _) if is_about_peer && self.state.bonds.get(bond).is_some_and(Bond::is_over) => HOUR_MS,
            _ if is_about_peer => PEER_RETRY_CAP_MS,
            _ => RETRY_CAP_MS,
        };
        self.network.back_off(step, task, cap, retry_after);
        if !is_about_peer {
            self.note_trouble(step, &relay, Some(code))?;
        }
        Ok(())
    }
}

/// What an answer means for its task.
#[derive(Debug)]
pub(super) enum Outcome {
    /// It is done, or no longer wanted.
    Done,
    /// It is not wanted before this instant, unix milliseconds.
    Paused(u64),
    /// It failed with this code and is tried again.
    Failed(String),
    /// Another call goes on with it.
    Continued,
}

/// Signs the challenge of a 401, if it is one that may be signed here. `&challenge=…&sig=…` or `?…` is appended.
pub(super) fn signed_query(answer: &Answer, relay: &str, purpose: Purpose, key: &Keypair) -> Option<String> {
    let object = FlatObject::parse(answer.body.as_bytes()).ok()?;
    let challenge = object.text("challenge")?;
    challenge::may_sign(challenge, host_of(relay)?, purpose).ok()?;
    let sig = base64url::encode(&key.sign(challenge.as_bytes()));
    Some(format!("challenge={challenge}&sig={sig}"))
}

/// `host[:port]` of a base URL.
pub(super) fn host_of(relay: &str) -> Option<&str> {
    let (_, rest) = relay.split_once("://")?;
    rest.split(['/', '?', '#']).next().filter(|host| !host.is_empty() && !host.contains('@'))
}

/// A relay's base URL in one spelling: scheme and host in lower case, no default port, no slash at the end.
pub(super) fn base_url(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('/');
    let is_plain = text.len() <= 200 && text.bytes().all(|b| b.is_ascii_graphic()) && !text.contains(['?', '#']);
    let (scheme, rest) = text.split_once("://").filter(|_| is_plain)?;
    let (scheme, default_port) = match scheme.to_ascii_lowercase().as_str() {
        "https" => ("https", ":443"),
        "http" => ("http", ":80"),
        _ => return None,
    };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = host.to_ascii_lowercase();
    let host = host.strip_suffix(default_port).unwrap_or(&host);
    let url = format!("{scheme}://{host}{path}");
    host_of(&url).is_some().then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relay_has_one_spelling() {
        for (typed, url) in [
            ("https://Relay.Example:443/", Some("https://relay.example")),
            ("HTTP://127.0.0.1:80", Some("http://127.0.0.1")),
            ("http://127.0.0.1:3001/a/B/", Some("http://127.0.0.1:3001/a/B")),
            ("https://user@relay.example", None),
            ("https://relay.example/?x", None),
            ("ftp://relay.example", None),
            ("https://", None),
        ] {
            assert_eq!(base_url(typed).as_deref(), url, "{typed}");
        }
    }
}
