//! The relay: its routes over its own decisions (`agentpair_relay`), with maps in place of Durable Objects.

mod inbox;
mod rendezvous;

use std::collections::BTreeMap;

use agentpair_protocol::base64url;
use agentpair_protocol::bond::allowlist::Allowlist;
use agentpair_protocol::challenge::{self, Purpose};
use agentpair_protocol::signed_blob::SignedBlob;
use agentpair_relay::answer::Answer;
use agentpair_relay::clock::Now;
use agentpair_relay::hash::{parse_sha256, sha256};
use agentpair_relay::inbox::body;
use agentpair_relay::inbox::decide::live::Socket;
use agentpair_relay::inbox::decide::{artifact, page};
use agentpair_relay::limits::Limits;
use agentpair_relay::problem::Problem;
use agentpair_relay::routes::path::Route;
use agentpair_relay::verify;

use self::inbox::{Frames, Inbox, allow, to_close};
use self::rendezvous::{Invite, Slot};

/// The relay's name.
const HOST: &str = "relay.test";
/// Its base URL.
pub const URL: &str = "https://relay.test";
const CHALLENGE_KEY: [u8; 32] = [7; 32];

/// A request, as it arrives.
#[derive(Debug, Clone)]
pub struct Request {
    /// HTTP method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// What a request leads to.
#[derive(Debug)]
pub enum Response {
    /// An answer at once.
    Now(Answer),
    /// The slot of this session holds nothing new: hold the request for this long, milliseconds.
    Hold(u64),
}

impl From<Result<Answer, Problem>> for Response {
    fn from(result: Result<Answer, Problem>) -> Self {
        Self::Now(result.into())
    }
}

/// An envelope that was let in: from, to, thread, sequence number, and the envelope's id.
pub type Posted = (String, String, String, u64, String);

/// The relay.
#[derive(Debug, Default)]
pub struct Relay {
    /// Its bounds; a seed may lower them.
    pub limits: Limits,
    /// Whether it knows live streams.
    pub has_streams: bool,
    inboxes: BTreeMap<String, Inbox>,
    slots: BTreeMap<String, Slot>,
    invites: BTreeMap<String, Invite>,
    artifacts: BTreeMap<String, (Vec<u8>, u64)>,
    sockets: BTreeMap<String, (String, Socket)>,
    drawn: u64,
    /// Authentic envelopes that an inbox took, for the checks.
    pub posted: Vec<Posted>,
}

impl Relay {
    /// Answers one request.
    pub fn handle(&mut self, request: &Request, now: Now) -> Response {
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let query: BTreeMap<&str, &str> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
        let Some(route) = Route::of(path) else { return Response::Now(Problem::NOT_FOUND.into()) };
        match (request.method.as_str(), route) {
            ("PUT", Route::Allowlist(id)) => self.put_allowlist(&id, &request.body).into(),
            ("POST", Route::Inbox(id)) => self.post(&id, &request.body, now).into(),
            ("GET", Route::Live(id)) if self.has_streams => Response::Now(self.challenge(&id, Purpose::Live, now)),
            ("GET", Route::Inbox(id)) => self.pull(&id, &query, now).into(),
            ("DELETE", Route::Inbox(id)) => self.trim(&id, &query, now).into(),
            ("PUT", Route::Invite(name)) => self.publish(&name, &request.body, now).into(),
            ("POST", Route::Claim(name)) => self.claim(&name, &request.body, now).into(),
            ("DELETE", Route::Invite(name)) => self.withdraw(&name, query.get("sig").copied(), now).into(),
            ("GET", Route::Pair(session)) => self.look(&session, &query, now),
            ("POST", Route::Pair(session)) => self.write(&session, request, now).into(),
            ("PUT", Route::Artifact(hash)) => self.put_artifact(&hash, request, now).into(),
            ("GET", Route::Artifact(hash)) => self.get_artifact(&hash, now).into(),
            _ => Response::Now(Problem::METHOD_NOT_ALLOWED.into()),
        }
    }

    fn draw(&mut self) -> u64 {
        self.drawn += 1;
        self.drawn
    }

    fn put_allowlist(&mut self, id: &str, body: &[u8]) -> Result<Answer, Problem> {
        let list = Allowlist::open(id, body).map_err(Problem::from)?;
        let signed = SignedBlob::read(body).map_err(|_| Problem::INTERNAL)?;
        let digest = sha256(&base64url::decode(&signed.blob).map_err(|_| Problem::INTERNAL)?);
        let epoch = format!("{:016x}", self.draw());
        let mut slot = self.inboxes.remove(id);
        let answer = allow(&mut slot, (list.version, list.allowed, digest), epoch);
        if let Some(inbox) = slot {
            self.inboxes.insert(id.to_owned(), inbox);
        }
        answer
    }

    fn post(&mut self, id: &str, wire: &[u8], now: Now) -> Result<Answer, Problem> {
        if wire.len() as u64 > self.limits.envelope_bytes {
            return Err(Problem::ENVELOPE_TOO_LARGE);
        }
        let accepted = verify::envelope(wire, id, now).map_err(Problem::from)?;
        let inbox = self.inboxes.get_mut(id).ok_or(Problem::RECIPIENT_NOT_ALLOWED)?;
        let answer = inbox.post(accepted.sender.as_str(), &accepted.id, (accepted.ttl, wire), now, &self.limits)?;
        if let Some((thread, seq)) = place(wire) {
            self.posted.push((accepted.sender.as_str().to_owned(), id.to_owned(), thread, seq, accepted.id));
        }
        Ok(answer)
    }

    fn challenge(&mut self, id: &str, purpose: Purpose, now: Now) -> Answer {
        let drawn = self.draw().to_le_bytes();
        let random = [drawn[0], drawn[1], drawn[2], drawn[3], drawn[4]];
        let expires_at_s = now.after(self.limits.challenge_ms) / 1_000;
        let seconds = u32::try_from(expires_at_s).unwrap_or(u32::MAX);
        match challenge::issue(&CHALLENGE_KEY, id, purpose, HOST, seconds, random) {
            Ok(text) => {
                Answer::json(401, &serde_json::json!({"challenge": text, "expires_at": u64::from(seconds) * 1_000}))
            }
            Err(_) => Problem::INTERNAL.into(),
        }
    }

    /// The inbox, if the query holds an answered challenge that is good for this act; a challenge if it holds none.
    fn admit(
        &mut self,
        id: &str,
        purpose: Purpose,
        query: &BTreeMap<&str, &str>,
        now: Now,
    ) -> Result<Option<&mut Inbox>, Answer> {
        let (Some(text), Some(sig)) = (query.get("challenge"), query.get("sig")) else {
            return Err(self.challenge(id, purpose, now));
        };
        let is_owner = challenge::check(&CHALLENGE_KEY, id, purpose, text, now.secs()).is_ok()
            && verify::signed_by(id, text.as_bytes(), sig).is_some();
        if !is_owner {
            return Err(Problem::CHALLENGE_INVALID.into());
        }
        match self.inboxes.get_mut(id) {
            None => Ok(None),
            Some(inbox) => {
                inbox.use_up(text).map_err(Answer::from)?;
                Ok(Some(inbox))
            }
        }
    }

    fn pull(&mut self, id: &str, query: &BTreeMap<&str, &str>, now: Now) -> Result<Answer, Problem> {
        let (since, limits) = (page::since(query.get("since").copied()), self.limits.clone());
        Ok(match self.admit(id, Purpose::Pull, query, now) {
            Err(answer) => answer,
            Ok(Some(inbox)) => inbox.pull(since, now, &limits),
            Ok(None) => {
                let summary = body::Summary { cursor: since, filtered: 0, more: false, epoch: None };
                Answer::json_text(200, body::pull(&[], &summary))
            }
        })
    }

    fn trim(&mut self, id: &str, query: &BTreeMap<&str, &str>, now: Now) -> Result<Answer, Problem> {
        let through = query.get("through").and_then(|text| text.parse().ok()).ok_or(Problem::INVALID_THROUGH)?;
        Ok(match self.admit(id, Purpose::Trim, query, now) {
            Err(answer) => answer,
            Ok(inbox) => {
                if let Some(inbox) = inbox {
                    inbox.trim(through);
                }
                Answer::json(200, &serde_json::json!({"trimmed": 0}))
            }
        })
    }

    fn put_artifact(&mut self, hash: &str, request: &Request, now: Now) -> Result<Answer, Problem> {
        let header = |name: &str| request.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        if request.body.len() as u64 > self.limits.artifact_bytes {
            return Err(Problem::PAYLOAD_TOO_LARGE);
        }
        let (Some(owner), Some(sig)) = (header("x-agent-id"), header("x-artifact-sig")) else {
            return Err(Problem::AUTH_REQUIRED);
        };
        verify::signed_by(owner, hash.as_bytes(), sig).ok_or(Problem::INVALID_SIGNATURE)?;
        let view = artifact::View {
            registered: self.inboxes.contains_key(owner),
            held: self.artifacts.contains_key(hash),
            used: 0,
        };
        artifact::decide(&view, request.body.len() as u64, &self.limits)?;
        if parse_sha256(hash) != Some(sha256(&request.body)) {
            return Err(Problem::HASH_MISMATCH);
        }
        let expires_at = now.after(self.limits.artifact_retention_ms);
        self.artifacts.insert(hash.to_owned(), (request.body.clone(), expires_at));
        Ok(Answer::no_content())
    }

    fn get_artifact(&self, hash: &str, now: Now) -> Result<Answer, Problem> {
        let found = self.artifacts.get(hash).filter(|(_, expires_at)| !now.reached(*expires_at));
        let (bytes, _) = found.ok_or(Problem::ARTIFACT_NOT_FOUND)?;
        Ok(Answer { body: Some(bytes.clone()), ..Answer::json_text(200, Vec::new()) })
    }

    /// Opens a socket under a name. `Err` closes it again. Names of sockets that had to make room come back too.
    ///
    /// # Errors
    /// Why it stays closed.
    pub fn open_socket(&mut self, name: &str, path: &str, now: Now) -> Result<Vec<String>, Problem> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let query: BTreeMap<&str, &str> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
        let Some(Route::Live(id)) = Route::of(path) else { return Err(Problem::NOT_FOUND) };
        match self.admit(&id, Purpose::Live, &query, now) {
            Err(_) => return Err(Problem::CHALLENGE_INVALID),
            Ok(None) => return Err(Problem::AGENT_NOT_REGISTERED),
            Ok(Some(_)) => {}
        }
        let of_inbox = self.sockets.iter().filter(|(_, (inbox, _))| *inbox == id);
        let open: Vec<(String, Socket)> = of_inbox.map(|(name, (_, socket))| (name.clone(), *socket)).collect();
        let closed = to_close(&open, &self.limits);
        for name in &closed {
            self.sockets.remove(name);
        }
        let serial = u32::try_from(self.draw()).unwrap_or(0);
        let since = page::since(query.get("since").copied());
        self.sockets.insert(name.to_owned(), (id, Socket::open(now.ms, serial, since)));
        Ok(closed)
    }

    /// The first frame of a socket.
    #[must_use]
    pub fn first_frame(&self, name: &str) -> Option<String> {
        let (inbox, _) = self.sockets.get(name)?;
        Some(self.inboxes.get(inbox)?.first_frame())
    }

    /// A frame came in on a socket. `false` closes it.
    pub fn socket_frame(&mut self, name: &str, frame: &str) -> bool {
        let Some((inbox, socket)) = self.sockets.get_mut(name) else { return false };
        let Ok(after) = socket.acknowledged(frame) else { return false };
        let moved = after.acked > socket.acked;
        *socket = after;
        if moved && let Some(inbox) = self.inboxes.get_mut(inbox) {
            inbox.trim(after.acked);
        }
        true
    }

    /// A socket is gone.
    pub fn close_socket(&mut self, name: &str) {
        self.sockets.remove(name);
    }

    /// Every frame that goes out now, by socket.
    pub fn pump(&mut self, now: Now) -> Frames {
        let mut frames = Frames::new();
        for (name, (inbox, socket)) in &mut self.sockets {
            if let Some(inbox) = self.inboxes.get(inbox) {
                let texts = inbox.pump(socket, now, &self.limits);
                if !texts.is_empty() {
                    frames.push((name.clone(), texts));
                }
            }
        }
        frames
    }

    /// The process ends and starts again: sockets are gone, what is stored stays. Returns the sockets.
    pub fn restart(&mut self, now: Now) -> Vec<String> {
        for inbox in self.inboxes.values_mut() {
            inbox.sweep(now);
        }
        std::mem::take(&mut self.sockets).into_keys().collect()
    }

    /// The disk is lost: a relay that knows nobody. Returns the sockets.
    pub fn lose_everything(&mut self) -> Vec<String> {
        self.inboxes.clear();
        self.slots.clear();
        self.invites.clear();
        self.artifacts.clear();
        std::mem::take(&mut self.sockets).into_keys().collect()
    }
}

/// Thread and sequence number of an envelope.
fn place(wire: &[u8]) -> Option<(String, u64)> {
    let outer: serde_json::Value = serde_json::from_slice(wire).ok()?;
    let blob = base64url::decode(outer.get("blob")?.as_str()?).ok()?;
    let body: serde_json::Value = serde_json::from_slice(&blob).ok()?;
    Some((body.get("thread")?.as_str()?.to_owned(), body.get("seq")?.as_u64()?))
}
