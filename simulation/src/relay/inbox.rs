//! One inbox: what the Durable Object keeps in SQLite, kept in maps, and judged by the same functions.

use std::collections::{BTreeMap, BTreeSet};

use agentpair_relay::answer::Answer;
use agentpair_relay::clock::Now;
use agentpair_relay::hash::sha256;
use agentpair_relay::inbox::body::{self, Stored, Summary};
use agentpair_relay::inbox::decide::live::{Socket, surplus};
use agentpair_relay::inbox::decide::{Usage, allowlist, page, post};
use agentpair_relay::limits::Limits;
use agentpair_relay::problem::Problem;

type Digest = [u8; 32];

/// An envelope that waits.
#[derive(Debug)]
struct Row {
    id_digest: Digest,
    wire_digest: Digest,
    sender: String,
    expires_at: u64,
    wire: Vec<u8>,
}

/// A registered inbox.
#[derive(Debug)]
pub(super) struct Inbox {
    epoch: String,
    held: allowlist::Held,
    allowed: Vec<String>,
    rows: BTreeMap<u64, Row>,
    last_row: u64,
    trimmed: BTreeMap<Digest, (Digest, u64)>,
    used: BTreeSet<String>,
}

/// One frame that is due on a socket.
pub(super) type Frames = Vec<(String, Vec<String>)>;

/// Puts an allowlist into force. The first one makes the inbox.
pub(super) fn allow(
    slot: &mut Option<Inbox>,
    (version, allowed, digest): (Option<u64>, Vec<String>, Digest),
    epoch: String,
) -> Result<Answer, Problem> {
    let held = slot.as_ref().map(|inbox| inbox.held);
    let push = allowlist::Push { version, digest, may_register: true };
    let outcome = allowlist::decide(held.as_ref(), &push)?;
    let held = allowlist::Held { version, digest };
    match slot {
        _ if outcome == allowlist::Outcome::Unchanged => {}
        None => {
            *slot = Some(Inbox {
                epoch,
                held,
                allowed,
                rows: BTreeMap::new(),
                last_row: 0,
                trimmed: BTreeMap::new(),
                used: BTreeSet::new(),
            });
        }
        Some(inbox) => {
            let changes = allowlist::changes(&inbox.allowed, &allowed);
            inbox.rows.retain(|_, row| !changes.removed.contains(&row.sender.as_str()));
            inbox.held = held;
            inbox.allowed = allowed;
        }
    }
    Ok(Answer::no_content())
}

impl Inbox {
    pub(super) fn post(
        &mut self,
        sender: &str,
        id: &str,
        (ttl_s, wire): (u64, &[u8]),
        now: Now,
        limits: &Limits,
    ) -> Result<Answer, Problem> {
        let (id_digest, wire_digest) = (sha256(id.as_bytes()), sha256(wire));
        let waiting = self.rows.values().filter(|row| !now.reached(row.expires_at));
        let (mut all, mut of_sender) = (Usage::default(), Usage::default());
        for row in waiting {
            all = all.plus(row.wire.len() as u64);
            if row.sender == sender {
                of_sender = of_sender.plus(row.wire.len() as u64);
            }
        }
        let stored = self.rows.values().find(|row| row.id_digest == id_digest).map(|row| row.wire_digest);
        let known = stored.or_else(|| self.trimmed.get(&id_digest).map(|(wire, _)| *wire));
        let same_id =
            known.map(|known| if known == wire_digest { post::SameId::SameBytes } else { post::SameId::OtherBytes });
        let sender_allowed = self.allowed.iter().any(|allowed| allowed == sender);
        let view = post::View { sender_allowed, same_id, inbox: all, sender: of_sender };
        let arrival = post::Arrival { size: wire.len() as u64, ttl_s };
        if let post::Outcome::Store { expires_at } = post::decide(&view, arrival, now, limits)? {
            self.last_row += 1;
            let row = Row { id_digest, wire_digest, sender: sender.to_owned(), expires_at, wire: wire.to_vec() };
            self.rows.insert(self.last_row, row);
        }
        Ok(Answer::no_content())
    }

    fn rows_after(&self, since: u64, now: Now) -> Vec<page::Row> {
        let rows = self.rows.range(since + 1..).filter(|(_, row)| !now.reached(row.expires_at));
        rows.map(|(id, row)| page::Row { id: *id, size: row.wire.len() as u64 }).collect()
    }

    fn stored(&self, rows: &[page::Row]) -> Vec<Stored> {
        let of = |row: &page::Row| Some(Stored { row_id: row.id, wire: self.rows.get(&row.id)?.wire.clone() });
        rows.iter().filter_map(of).collect()
    }

    pub(super) fn pull(&self, since: u64, now: Now, limits: &Limits) -> Answer {
        let rows = self.rows_after(since, now);
        let page = page::take(&rows, Usage::default(), limits.pull_rows, limits.pull_bytes);
        let stored = self.stored(rows.get(..page.taken).unwrap_or_default());
        let summary =
            Summary { cursor: page.through.unwrap_or(since), filtered: 0, more: page.more, epoch: Some(&self.epoch) };
        Answer::json_text(200, body::pull(&stored, &summary))
    }

    /// Deletes what was processed, and remembers its ids.
    pub(super) fn trim(&mut self, through: u64) {
        let kept = self.rows.split_off(&(through + 1));
        for row in std::mem::replace(&mut self.rows, kept).into_values() {
            self.trimmed.insert(row.id_digest, (row.wire_digest, row.expires_at));
        }
    }

    /// A challenge is good for one act.
    pub(super) fn use_up(&mut self, challenge: &str) -> Result<(), Problem> {
        if self.used.insert(challenge.to_owned()) { Ok(()) } else { Err(Problem::CHALLENGE_INVALID) }
    }

    pub(super) fn first_frame(&self) -> String {
        body::epoch_frame(&self.epoch)
    }

    /// What goes out on a socket now.
    pub(super) fn pump(&self, socket: &mut Socket, now: Now, limits: &Limits) -> Vec<String> {
        let out = self.rows.range(socket.acked + 1..(socket.sent + 1).max(socket.acked + 1));
        let out = out.fold(Usage::default(), |usage, (_, row)| usage.plus(row.wire.len() as u64));
        if out.rows > 0 && !out.fits(limits.live_frames, limits.live_bytes) {
            return Vec::new();
        }
        let rows = self.rows_after(socket.sent, now);
        let page = page::take(&rows, out, limits.live_frames, limits.live_bytes);
        let Some(through) = page.through else { return Vec::new() };
        *socket = socket.sent_through(through);
        self.stored(rows.get(..page.taken).unwrap_or_default()).iter().filter_map(body::live_frame).collect()
    }

    /// Deletes what has expired.
    pub(super) fn sweep(&mut self, now: Now) {
        self.rows.retain(|_, row| !now.reached(row.expires_at));
        self.trimmed.retain(|_, (_, expires_at)| !now.reached(*expires_at));
    }
}

/// The sockets to close so that one more may open.
pub(super) fn to_close(sockets: &[(String, Socket)], limits: &Limits) -> Vec<String> {
    let states: Vec<Socket> = sockets.iter().map(|(_, socket)| *socket).collect();
    let names = surplus(&states, limits.live_sockets);
    names.into_iter().filter_map(|at| sockets.get(at).map(|(name, _)| name.clone())).collect()
}
