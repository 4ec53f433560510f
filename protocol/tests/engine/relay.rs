//! A relay in memory for engine tests: the routes that hosts use, judged by the protocol's own parsers.
//! The Worker itself is tested in workerd; this one gives the engine a world without a network.

use std::collections::BTreeMap;

use agentpair_protocol::bond::allowlist::Allowlist;
use agentpair_protocol::challenge::{self, Purpose};
use agentpair_protocol::envelope::Decoded;
use agentpair_protocol::identity::AgentId;
use agentpair_protocol::pairing::invite::Invite;
use agentpair_protocol::pairing::message::slot_etag;

const KEY: [u8; 32] = [7; 32];
pub(crate) const HOST: &str = "relay.test";

#[derive(Default)]
pub(crate) struct Inbox {
    allowed: Vec<String>,
    version: u64,
    rows: Vec<(u64, String, String)>,
    next: u64,
}

struct Slot {
    text: String,
    expires_at: u64,
}

struct Published {
    body: String,
    invite: Invite,
    claim: Option<String>,
}

/// What a host gets back.
pub(crate) enum Reply {
    Now(u16, String),
    /// Hold the request: ask again when the world changes, until the deadline.
    Hold,
}

#[derive(Default)]
pub(crate) struct Relay {
    inboxes: BTreeMap<String, Inbox>,
    slots: BTreeMap<String, Slot>,
    invites: BTreeMap<String, Published>,
    pub(crate) has_streams: bool,
    /// Everything that hosts sent, for tests that look into it.
    pub(crate) seen: Vec<String>,
    /// Invite names that are taken.
    pub(crate) taken: Vec<String>,
    /// Added to the numbers of rows, as they are told.
    pub(crate) row_lie: u64,
    everything: Vec<(String, String, String)>,
    pub(crate) artifacts: BTreeMap<String, Vec<u8>>,
    /// Artifacts are altered (`true`) or dropped (`false`) on arrival.
    pub(crate) swallow: Option<bool>,
}

fn error(status: u16, code: &str) -> Reply {
    Reply::Now(status, format!("{{\"error\":\"{code}\"}}"))
}

fn ok(status: u16) -> Reply {
    Reply::Now(status, String::new())
}

impl Relay {
    pub(crate) fn request(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: &str,
        now: u64,
    ) -> Reply {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let query: BTreeMap<&str, &str> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
        let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        match (method, parts.as_slice()) {
            ("PUT", ["allowlist", id]) => self.put_allowlist(id, body),
            ("POST", ["inbox", id]) => self.post(id, body, now),
            ("GET", ["inbox", id, "live"]) if self.has_streams => self.challenge(id, Purpose::Live, now),
            ("GET", ["inbox", id]) => match self.admit(id, Purpose::Pull, &query, now) {
                Some(reply) => reply,
                None => self.pull(id, query["since"].parse().unwrap()),
            },
            ("DELETE", ["inbox", id]) => match self.admit(id, Purpose::Trim, &query, now) {
                Some(reply) => reply,
                None => {
                    let through: u64 = query["through"].parse().unwrap();
                    self.trim(id, through);
                    ok(204)
                }
            },
            ("PUT", ["invite", name]) => self.put_invite(name, body),
            ("POST", ["invite", name, "claim"]) => self.claim(name, body, now),
            ("DELETE", ["invite", name]) => {
                self.invites.remove(*name);
                ok(204)
            }
            ("GET", ["pair", session]) => self.look(session, query.get("not").copied(), now),
            ("POST", ["pair", session]) => self.write(session, headers, body, now),
            _ => error(404, "not_found"),
        }
    }

    fn put_allowlist(&mut self, id: &str, body: &str) -> Reply {
        match Allowlist::open(id, body.as_bytes()) {
            Err(fault) => error(fault.status(), fault.code()),
            Ok(list) => {
                let inbox = self.inboxes.entry(id.to_owned()).or_default();
                if list.version.unwrap_or(0) < inbox.version {
                    return error(409, "allowlist_stale");
                }
                inbox.version = list.version.unwrap_or(0);
                inbox.rows.retain(|(_, from, _)| list.allowed.contains(from));
                inbox.allowed = list.allowed;
                ok(204)
            }
        }
    }

    fn post(&mut self, id: &str, body: &str, now: u64) -> Reply {
        self.seen.push(body.to_owned());
        let accepted = Decoded::from_wire(body.as_bytes())
            .and_then(|d| d.addressed_to(id))
            .and_then(|a| a.timely(now / 1000))
            .and_then(|t| t.authentic());
        match accepted {
            Err(reject) => error(400, reject.code()),
            Ok(accepted) => match self.inboxes.get_mut(id) {
                Some(inbox) if inbox.allowed.iter().any(|a| a == accepted.sender.as_str()) => {
                    if !inbox.rows.iter().any(|(_, _, wire)| wire == body) {
                        self.everything.push((id.to_owned(), accepted.sender.as_str().to_owned(), body.to_owned()));
                        inbox.next += 1;
                        inbox.rows.push((inbox.next, accepted.sender.as_str().to_owned(), body.to_owned()));
                    }
                    ok(204)
                }
                _ => error(403, "recipient_not_allowed"),
            },
        }
    }

    fn challenge(&self, id: &str, purpose: Purpose, now: u64) -> Reply {
        let text = challenge::issue(&KEY, id, purpose, HOST, (now / 1000 + 60) as u32, [1; 5]).unwrap();
        Reply::Now(401, format!("{{\"challenge\":\"{text}\",\"expires_at\":{}}}", now + 60_000))
    }

    fn admit(&self, id: &str, purpose: Purpose, query: &BTreeMap<&str, &str>, now: u64) -> Option<Reply> {
        let (Some(text), Some(sig)) = (query.get("challenge"), query.get("sig")) else {
            return Some(self.challenge(id, purpose, now));
        };
        let sig = agentpair_protocol::base64url::decode(sig).unwrap();
        let good = challenge::check(&KEY, id, purpose, text, now / 1000).is_ok()
            && AgentId::parse(id).unwrap().verify(text.as_bytes(), &sig).is_ok();
        if good { None } else { Some(error(403, "challenge_invalid")) }
    }

    fn pull(&self, id: &str, since: u64) -> Reply {
        let rows = self.rows(id, since);
        let ids: Vec<String> = rows.iter().map(|(n, _)| n.to_string()).collect();
        let wires: Vec<&str> = rows.iter().map(|(_, wire)| wire.as_str()).collect();
        Reply::Now(
            200,
            format!(
                "{{\"envelopes\":[{}],\"rowids\":[{}],\"cursor\":{},\"filtered_count\":0}}",
                wires.join(","),
                ids.join(","),
                rows.last().map_or(since, |(n, _)| *n)
            ),
        )
    }

    pub(crate) fn rows(&self, id: &str, since: u64) -> Vec<(u64, String)> {
        let rows = self.inboxes.get(id).map(|inbox| inbox.rows.as_slice()).unwrap_or_default();
        rows.iter().filter(|(n, _, _)| *n > since).map(|(n, _, wire)| (*n + self.row_lie, wire.clone())).collect()
    }

    /// All that waits is gone.
    pub(crate) fn lose_rows(&mut self) {
        self.inboxes.values_mut().for_each(|inbox| inbox.rows.clear());
    }

    /// The first row after a number.
    pub(crate) fn next_row(&self, id: &str, since: u64) -> Option<(u64, String)> {
        let (n, _, wire) = self.inboxes.get(id)?.rows.iter().find(|(n, _, _)| *n > since)?;
        Some((n + self.row_lie, wire.clone()))
    }

    pub(crate) fn trim(&mut self, id: &str, through: u64) {
        if let Some(inbox) = self.inboxes.get_mut(id) {
            inbox.rows.retain(|(n, _, _)| *n > through);
        }
    }

    /// Inbox and thread, sequence number, and id of each envelope that was ever posted.
    pub(crate) fn posted(&self) -> Vec<(String, u64, String)> {
        let body = |wire: &str| -> Option<serde_json::Value> {
            let outer: serde_json::Value = serde_json::from_str(wire).ok()?;
            let blob = agentpair_protocol::base64url::decode(outer["blob"].as_str()?).ok()?;
            serde_json::from_slice(&blob).ok()
        };
        let named = |(inbox, _, wire): &(String, String, String)| {
            let body = body(wire).unwrap();
            let text = |key: &str| body[key].as_str().unwrap().to_owned();
            (format!("{inbox}/{}", text("thread")), body["seq"].as_u64().unwrap(), text("id"))
        };
        self.everything.iter().map(named).collect()
    }

    /// Puts everything that was ever posted into the inboxes again.
    pub(crate) fn replay_all(&mut self) {
        for (id, from, wire) in self.everything.clone() {
            if let Some(inbox) = self.inboxes.get_mut(&id) {
                inbox.next += 1;
                inbox.rows.push((inbox.next, from, wire));
            }
        }
    }

    fn put_invite(&mut self, name: &str, body: &str) -> Reply {
        self.seen.push(body.to_owned());
        let invite = match Invite::open(body.as_bytes()) {
            Ok(invite) if invite.name == name => invite,
            Ok(_) => return error(400, "invalid_invite"),
            Err(fault) => return error(fault.status(), fault.code()),
        };
        if self.taken.iter().any(|taken| taken == name) || self.invites.get(name).is_some_and(|old| old.body != body) {
            return error(409, "invite_taken");
        }
        self.invites.insert(name.to_owned(), Published { body: body.to_owned(), invite, claim: None });
        ok(201)
    }

    fn claim(&mut self, name: &str, body: &str, now: u64) -> Reply {
        let Some(published) = self.invites.get_mut(name) else {
            return error(404, "invite_not_found");
        };
        if published.claim.as_deref().is_some_and(|claim| claim != body) {
            return error(410, "invite_claimed");
        }
        published.claim = Some(body.to_owned());
        let session = published.invite.session_id.clone();
        let slot = Slot { text: published.invite.pake.clone(), expires_at: now + 300_000 };
        self.slots.entry(session).or_insert(slot);
        Reply::Now(200, published.body.clone())
    }

    fn look(&mut self, session: &str, not: Option<&str>, now: u64) -> Reply {
        match self.slots.get(session) {
            None if not.is_some() => Reply::Hold,
            None => error(404, "pair_not_found"),
            Some(slot) if slot.expires_at <= now => error(410, "pair_session_lost"),
            Some(slot) if not == Some(&slot_etag(slot.text.as_bytes())) => Reply::Hold,
            Some(slot) => Reply::Now(200, slot.text.clone()),
        }
    }

    fn write(&mut self, session: &str, headers: &[(String, String)], body: &str, now: u64) -> Reply {
        self.seen.push(body.to_owned());
        let condition =
            headers.iter().find(|(name, _)| name == "if-match").map(|(_, value)| value.trim_matches('"').to_owned());
        match self.slots.get_mut(session) {
            None => error(404, "pair_not_found"),
            Some(slot) if slot.expires_at <= now => error(410, "pair_session_lost"),
            Some(slot) if condition.is_some_and(|etag| etag != slot_etag(slot.text.as_bytes())) => {
                error(412, "pair_slot_changed")
            }
            Some(slot) => {
                slot.text = body.to_owned();
                ok(204)
            }
        }
    }

    /// The end of a held request.
    pub(crate) fn release(&self, session_path: &str) -> (u16, String) {
        let session = session_path.trim_start_matches("/pair/").split('?').next().unwrap_or_default();
        if self.slots.contains_key(session) {
            (304, String::new())
        } else {
            (404, "{\"error\":\"pair_not_found\"}".to_owned())
        }
    }

    pub(crate) fn overwrite_slot(&mut self, text: &str) {
        self.slots.values_mut().for_each(|slot| text.clone_into(&mut slot.text));
    }
}
