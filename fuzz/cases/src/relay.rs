//! What the relay reads besides envelopes: paths, queries, frames, the calls between its parts.

use agentpair_protocol::json::check_object;
use agentpair_protocol::pairing::message::slot_etag;
use agentpair_relay::clock::Now;
use agentpair_relay::frame;
use agentpair_relay::hash::etag;
use agentpair_relay::inbox::body::{Stored, Summary, live_frame, pull};
use agentpair_relay::inbox::call::Call as InboxCall;
use agentpair_relay::inbox::decide::live::Socket;
use agentpair_relay::inbox::decide::page::since;
use agentpair_relay::invite::call::Call as InviteCall;
use agentpair_relay::limits::Limits;
use agentpair_relay::pair::call::Call as PairCall;
use agentpair_relay::pair::decide::{Phase, Slot, post, wait_ms};
use agentpair_relay::routes::path::Route;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::choose;

fn path(text: &str) {
    let Some(route) = Route::of(text) else { return };
    let (Route::Allowlist(id)
    | Route::Inbox(id)
    | Route::Purge(id)
    | Route::Live(id)
    | Route::Pair(id)
    | Route::Invite(id)
    | Route::Claim(id)
    | Route::Artifact(id)) = &route
    else {
        assert_eq!(text, "/health");
        return;
    };
    assert!(!id.is_empty());
    // The same id, every byte of it escaped, is the same route.
    let escaped: String = id.bytes().map(|b| format!("%{b:02x}")).collect();
    let (head, rest) = text[1..].split_once('/').unwrap();
    let tail = rest.split_once('/').map(|(_, tail)| format!("/{tail}")).unwrap_or_default();
    assert_eq!(Route::of(&format!("/{head}/{escaped}{tail}")), Some(route));
}

fn query(text: &str) {
    let limits = Limits::default();
    assert!(since(Some(text)) <= 1_000_000_000_000);
    assert!(wait_ms(Some(text), &limits) <= limits.pair_wait_ms);
    let slot = Slot { etag: "ab".repeat(16), expires_at: 2 };
    let posted = post(Phase::Open(&slot), Some(text), 1, Now { ms: 1 }, &limits);
    assert!(posted.is_err() || text.contains(&slot.etag) || text.contains('*'));
    assert!(post(Phase::Absent, Some(text), 1, Now { ms: 1 }, &limits).is_err(), "without a slot no tag is right");
    let _ = Limits::from_variables(|_| Some(text.to_owned()));
}

fn socket(text: &str) {
    let socket = Socket::open(0, 0, 3).sent_through(10);
    if let Ok(next) = socket.acknowledged(text) {
        assert!((3..=10).contains(&next.acked) && next.sent == 10, "only what was sent is acknowledged");
        assert!(serde_json::from_str::<serde_json::Value>(text).unwrap()["ack"].is_u64());
    }
}

fn call<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(joined: &[u8]) {
    let Ok((call, bytes)) = frame::split::<T>(joined) else { return };
    let again = frame::join(&call, bytes).unwrap();
    assert_eq!(frame::split::<T>(&again), Ok((call, bytes)));
}

/// Two wires that the relay takes, in a page and in a frame, come out as they went in.
fn page(data: &[u8]) {
    let Some(wire) = std::str::from_utf8(data).ok().filter(|text| check_object(text.as_bytes()).is_ok()) else {
        return;
    };
    let rows = [1, 2].map(|row_id| Stored { row_id, wire: wire.as_bytes().to_vec() });
    let text = pull(&rows, &Summary { cursor: 2, filtered: 0, more: false, epoch: Some("e") });
    let read: serde_json::Value = serde_json::from_slice(&text).expect("a page is JSON");
    let plain: serde_json::Value = serde_json::from_str(wire).unwrap();
    assert_eq!(read["envelopes"], serde_json::json!([plain, plain]));
    let frame: serde_json::Value = serde_json::from_str(&live_frame(&rows[0]).unwrap()).expect("a frame is JSON");
    assert_eq!(frame["envelope"], plain);
}

/// A path, a query's value, a socket's frame, a call, a page, a tag.
pub fn relay(data: &[u8]) {
    let (which, rest) = choose(data);
    let text = String::from_utf8_lossy(rest);
    match which % 8 {
        0 => path(&text),
        1 => query(&text),
        2 => socket(&text),
        3 => call::<InboxCall>(rest),
        4 => call::<PairCall>(rest),
        5 => call::<InviteCall>(rest),
        6 => page(rest),
        _ => assert_eq!(etag(rest), slot_etag(rest), "host and relay name a message alike"),
    }
}
