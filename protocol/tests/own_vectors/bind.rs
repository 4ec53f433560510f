//! ENV-8: the plaintext is bound to the headers of its envelope.

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::envelope::{Decoded, Draft, PairKey, Stamp, bind, seal_with_nonce};
use agentpair_protocol::message::Extras;
use serde_json::{Value, json};

use super::{cases, keys, own, text};

const ID: &str = "00000000-0000-4000-8000-000000000000";
const NOW_S: u64 = 1_767_200_000;

fn value(name: &str, (id, kind, thread, seq): (&str, &str, &str, u64)) -> Value {
    let [alice, bob, _] = keys();
    let (from, to) = (alice.agent_id().as_str(), bob.agent_id().as_str());
    let bind = bind(from, to, id, kind, thread, seq);
    json!({ "name": name, "from": from, "to": to, "id": id, "type": kind, "thread": thread, "seq": seq, "bind": bind })
}

/// Always the same headers; `bound` is what the plaintext carries.
fn wire(name: &str, nonce: u8, bound: Option<String>, expect: Option<&str>) -> Value {
    let [alice, bob, _] = keys();
    let extras = Extras { bind: bound, mid: Some("m".to_owned()), expires_at: Some(1_767_203_600_000) };
    let plaintext = extras.append_to("{\"body\":\"hello\"}");
    let draft = Draft {
        from: &alice,
        to: bob.agent_id(),
        id: ID,
        kind: "core.msg",
        thread: "t",
        seq: 3,
        ttl: NOW_S + 3_600,
        stamp: Some(Stamp { sealed_at: NOW_S * 1_000, prev: 2 }),
        plaintext: plaintext.as_bytes(),
    };
    let pair = PairKey::derive(&alice, bob.agent_id()).unwrap();
    let wire = String::from_utf8(seal_with_nonce(&draft, &pair, &[nonce; 24]).unwrap()).unwrap();
    json!({ "name": name, "wire": wire, "expect": expect })
}

fn file() -> Value {
    let [alice, bob, _] = keys();
    let (a, b) = (alice.agent_id().as_str(), bob.agent_id().as_str());
    let refused = Some("invalid_payload");
    let other = |id, kind, thread, seq| Some(bind(a, b, id, kind, thread, seq));
    json!({
        "values": [
            value("first", (ID, "core.msg", "550e8400-e29b-41d4-a716-446655440000", 1)),
            value("long", ("i", "nego.budget_approved", "ümläut/…", (1 << 53) - 1)),
        ],
        "nowUnix": NOW_S,
        "wires": [
            wire("bound", 1, other(ID, "core.msg", "t", 3), None),
            wire("missing", 2, None, refused),
            wire("another_id", 3, other("i", "core.msg", "t", 3), refused),
            wire("another_type", 4, other(ID, "core.close", "t", 3), refused),
            wire("another_thread", 5, other(ID, "core.msg", "u", 3), refused),
            wire("another_seq", 6, other(ID, "core.msg", "t", 4), refused),
            wire("another_direction", 7, Some(bind(b, a, ID, "core.msg", "t", 3)), refused),
            wire("padded", 8, other(ID, "core.msg", "t", 3).map(|bind| format!("{bind}==")), refused),
        ],
    })
}

#[test]
fn plaintexts_are_bound_to_their_headers() {
    let [alice, bob, _] = keys();
    let file = own!("bind", file());
    for (name, case) in cases(&file, "values") {
        let parts = ["from", "to", "id", "type", "thread"].map(|key| text(case, key));
        let [from, to, id, kind, thread] = parts;
        assert_eq!(bind(from, to, id, kind, thread, case["seq"].as_u64().unwrap()), case["bind"], "{name}");
    }
    let pair = PairKey::derive(&bob, alice.agent_id()).unwrap();
    for (name, case) in cases(&file, "wires") {
        let fresh = Decoded::from_wire(text(case, "wire").as_bytes())
            .and_then(|decoded| {
                decoded.bonded(Some(alice.agent_id()))?.authentic()?.routed(bob.agent_id())?.fresh(2, NOW_S)
            })
            .unwrap();
        let (headers, plaintext) = fresh.open(&pair).unwrap().into_parts();
        let wanted = bind(&headers.from, &headers.to, &headers.id, &headers.kind, &headers.thread, headers.seq);
        let is_bound = Extras::read(&plaintext).unwrap().bind == Some(wanted);
        assert_eq!(is_bound, case["expect"].is_null(), "{name}");
    }
}
