//! What parsers disagree about, at the outer object and in the body: one reading, the strict one
//! (ENV-2, ENV-3, the bounds of section 4.2, ID-1, ID-2), and what binds a plaintext to its headers (ENV-8).
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

mod support;

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::base64url;
use agentpair_protocol::envelope::{Draft, Headers, PairKey, Stamp, bind, seal_with_nonce};
use agentpair_protocol::limits::{JSON_DEPTH, MAX_SAFE_INTEGER};
use support::key;
use support::ladder::{receive, relay};
use support::letter::Letter;

fn letter(edit: impl FnOnce(&mut Letter)) -> Letter {
    let mut letter = Letter::golden();
    edit(&mut letter);
    letter
}

/// Host and relay must agree about the JSON of every envelope.
fn judge(letter: &Letter) -> Result<Headers, String> {
    let wire = letter.wire();
    let host = receive(wire.as_bytes(), &letter.harness);
    let relay = relay(wire.as_bytes(), &letter.harness);
    assert_eq!(host.as_ref().err(), relay.as_ref().err(), "{wire}");
    host.map(|(headers, _)| headers)
}

fn body(name: &'static str, raw: &str) -> Result<Headers, String> {
    judge(&letter(|l| l.body.set(name, raw)))
}

fn extra(raw: &str) -> [Result<Headers, String>; 2] {
    [judge(&letter(|l| l.body.push("x", raw))), judge(&letter(|l| l.outer.push("x", raw)))]
}

fn invalid_json<T>() -> Result<T, String> {
    Err("invalid_json".to_owned())
}

#[test]
fn unknown_members_are_tolerated_and_checked() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for raw in [
        "null",
        "true",
        "[]",
        "{}",
        "1.5",
        "-1e3",
        "\"é\\ud83d\\ude00\"",
        "{\"a\":1,\"b\":{\"a\":1}}",
        &nested(JSON_DEPTH - 1),
    ] {
        assert!(extra(raw).iter().all(Result::is_ok), "{raw}");
    }
    for raw in [
        "{\"a\":1,\"a\":1}",
        "[{\"a\":{\"b\":1,\"\\u0062\":2}}]",
        "\"\\ud800\"",
        "\"\\ude00\\ud83d\"",
        "{\"\\udfff\":1}",
        "1e999",
        "01",
        "+1",
        "NaN",
        ".5",
        "1.",
        "'x'",
        "\"\u{1}\"",
        "[1,]",
        "",
        &nested(JSON_DEPTH),
    ] {
        for verdict in extra(raw) {
            assert_eq!(verdict, invalid_json(), "{raw}");
        }
    }
}

#[test]
fn each_key_stands_once() {
    for name in ["v", "id", "from", "to", "type", "thread", "seq", "ttl", "payload"] {
        let twice = letter(|l| l.body.repeat(name));
        assert_eq!(judge(&twice), invalid_json(), "{name}");
    }
    for name in ["v", "from", "to"] {
        let twice = letter(|l| l.outer.repeat(name));
        assert_eq!(judge(&twice), invalid_json(), "{name}");
    }
    for name in ["blob", "sig"] {
        assert_eq!(judge(&letter(|l| l.outer.push(name, "\"YQ\""))), invalid_json(), "{name}");
    }
    let escaped = letter(|l| l.outer.push(r"\u0076", "1"));
    assert_eq!(judge(&escaped), invalid_json(), "an escaped v is a v");
}

#[test]
fn body_bytes_are_utf8_without_a_mark() {
    let sealed = |body: &[u8]| {
        let letter = Letter::golden();
        let sig = base64url::encode(&letter.signer.sign(body));
        let outer = letter.outer.to_json();
        let wire = format!(
            "{},\"blob\":\"{}\",\"sig\":\"{sig}\"}}",
            outer.strip_suffix('}').unwrap(),
            base64url::encode(body)
        );
        receive(wire.as_bytes(), &letter.harness).map(drop)
    };
    let text = Letter::golden().body.to_json();
    assert_eq!(sealed(text.as_bytes()), Ok(()));
    assert_eq!(sealed(format!(" {text}\n").as_bytes()), Ok(()), "white space is JSON's own");
    assert_eq!(sealed(format!("\u{feff}{text}").as_bytes()), invalid_json());
    assert_eq!(sealed(format!("{text}0").as_bytes()), invalid_json());
    for stray in [b"\xff".as_slice(), b"\xc0\xaf", b"\xed\xa0\x80", b"\0"] {
        let member = [b",\"x\":\"".as_slice(), stray, b"\"}"].concat();
        let body = [text.strip_suffix('}').unwrap().as_bytes(), &member].concat();
        assert_eq!(sealed(&body), invalid_json(), "{stray:02x?}");
    }
    let wire = Letter::golden().wire().replacen("\"v\":1", "\"v\":1,\"x\":\"?\"", 1);
    let broken: Vec<u8> = wire.bytes().map(|b| if b == b'?' { 0xff } else { b }).collect();
    assert_eq!(receive(&broken, &Letter::golden().harness).unwrap_err(), "invalid_json");
}

#[test]
fn numbers_are_integers_that_every_language_can_hold() {
    let largest = MAX_SAFE_INTEGER.to_string();
    assert_eq!(body("seq", &largest).unwrap().seq, MAX_SAFE_INTEGER as u64);
    assert_eq!(body("ttl", &largest).unwrap().ttl, MAX_SAFE_INTEGER as u64);
    for name in ["seq", "ttl"] {
        for raw in [
            "9007199254740992",
            "-9007199254740992",
            "18446744073709551615",
            "18446744073709551616",
            "1.0",
            "1e0",
            "1.5",
            "-0",
            "1e999",
            "\"1\"",
            "null",
            "true",
            "[1]",
            "",
        ] {
            assert_eq!(body(name, raw), invalid_json(), "{name} {raw}");
        }
    }
    // The draft compares versions as numbers of JavaScript.
    for raw in ["1.0", "1e0", "10e-1"] {
        assert!(
            judge(&letter(|l| {
                l.outer.set("v", raw);
                l.body.set("v", raw);
            }))
            .is_ok(),
            "{raw}"
        );
    }
    for raw in ["true", "null", "[1]", "\"1\""] {
        assert_eq!(body("v", raw), invalid_json(), "{raw}");
    }
}

#[test]
fn seq_begins_at_one_and_ttl_is_in_the_future() {
    let host = |name: &'static str, raw: &str| {
        let letter = letter(|l| l.body.set(name, raw));
        receive(letter.wire().as_bytes(), &letter.harness).err()
    };
    for raw in ["0", "-1", "-9007199254740991"] {
        assert_eq!(host("seq", raw).as_deref(), Some("stale_seq"), "{raw}");
        assert_eq!(host("ttl", raw).as_deref(), Some("envelope_expired"), "{raw}");
    }
    assert_eq!(host("seq", "1"), None);
    assert_eq!(host("ttl", "1767200000").as_deref(), Some("envelope_expired"));
    assert_eq!(host("ttl", "1767200001"), None);
}

#[test]
fn stamp_is_natural_or_absent() {
    for name in ["ts", "prev"] {
        let with = |raw: &str| judge(&letter(|l| l.body.push(name, raw)));
        for (raw, want) in [("0", 0), ("1", 1), ("9007199254740991", MAX_SAFE_INTEGER as u64)] {
            let headers = with(raw).unwrap();
            let (got, other) =
                if name == "ts" { (headers.sealed_at, headers.prev) } else { (headers.prev, headers.sealed_at) };
            assert_eq!((got, other), (Some(want), None), "{name} {raw}");
        }
        for raw in ["-1", "9007199254740992", "1.0", "1.5", "null", "\"1\"", "[]", "{}", "false"] {
            assert_eq!(with(raw), invalid_json(), "{name} {raw}");
        }
    }
}

#[test]
fn texts_of_the_body_have_bounds() {
    let text = |n: usize| format!("\"{}\"", "x".repeat(n));
    assert!(body("id", &text(128)).is_ok());
    assert_eq!(body("id", &text(129)), invalid_json());
    assert_eq!(body("id", &text(0)), invalid_json());
    // A type of 64 bytes is one that nobody knows; a longer one is no type.
    let long = letter(|l| l.body.set("type", &text(64)));
    assert_eq!(receive(long.wire().as_bytes(), &long.harness).unwrap_err(), "unsupported_envelope_type");
    assert_eq!(body("type", &text(65)), invalid_json());
    // The draft bounds no thread: what it carries is the host's to judge.
    for raw in ["\"\"", "\"\\u0000\"", &text(300)] {
        assert!(body("thread", raw).is_ok(), "{raw}");
    }
}

#[test]
fn an_alias_of_an_id_is_not_the_id() {
    let (alice, bob) = (key("alice").agent_id().to_string(), key("bob").agent_id().to_string());
    for alias in [
        format!("{}x", alice.strip_suffix('w').unwrap()), // other spare bits
        format!("{alice}="),
        format!("{alice}=="),
        format!("{alice}\\n"),
        alice.replace("ed25519", "Ed25519"),
        alice.replace("ed25519:", ""),
        format!(" {alice}"),
        bob,
    ] {
        let raw = format!("\"{alias}\"");
        let forged = letter(|l| {
            l.body.set("from", &raw);
            l.outer.set("from", &raw);
        });
        let wire = forged.wire();
        let host = receive(wire.as_bytes(), &forged.harness).unwrap_err();
        // Bob is a good id and bonded here, but did not sign; all others are no id that anybody can be bonded with.
        let want = if alias.starts_with("ed25519:gTl") { "invalid_signature" } else { "recipient_not_allowed" };
        assert_eq!(host, want, "{alias}");
        assert_eq!(relay(wire.as_bytes(), &forged.harness).unwrap_err(), "invalid_signature", "{alias}");
    }
}

#[test]
fn what_is_sealed_is_what_arrives() {
    let (alice, bob) = (key("alice"), key("bob"));
    let draft = Draft {
        from: &alice,
        to: bob.agent_id(),
        id: "1f\"\\\u{7}é",
        kind: "bond.hello",
        thread: "a \"thread\"\n\u{0}\u{2028}😀",
        seq: MAX_SAFE_INTEGER as u64,
        ttl: 1_767_203_600,
        stamp: Some(Stamp { sealed_at: 1_767_200_000_123, prev: 0 }),
        plaintext: b"\xff any bytes \0",
    };
    let pair_key = PairKey::derive(&alice, bob.agent_id()).unwrap();
    let wire = seal_with_nonce(&draft, &pair_key, &[7; 24]).unwrap();
    let (headers, plaintext) = receive(&wire, &Letter::golden().harness).unwrap();
    assert_eq!(plaintext, draft.plaintext);
    assert_eq!(
        (headers.id.as_str(), headers.thread.as_str(), headers.kind.as_str()),
        (draft.id, draft.thread, draft.kind)
    );
    assert_eq!((headers.seq, headers.sealed_at, headers.prev), (draft.seq, Some(1_767_200_000_123), Some(0)));
    let body = base64url::decode(serde_json::from_slice::<serde_json::Value>(&wire).unwrap()["blob"].as_str().unwrap())
        .unwrap();
    assert!(body.ends_with(b"\",\"ts\":1767200000123,\"prev\":0}"), "the stamp follows the payload");
}

#[test]
fn bind_depends_on_every_header() {
    let golden = ("ed25519:a", "ed25519:b", "id", "core.msg", "thread", 1);
    let of =
        |(from, to, id, kind, thread, seq): (&str, &str, &str, &str, &str, u64)| bind(from, to, id, kind, thread, seq);
    let want = of(golden);
    let (from, to, id, kind, thread, seq) = golden;
    for other in [
        (to, from, id, kind, thread, seq),
        (from, to, "ID", kind, thread, seq),
        (from, to, id, "core.ack", thread, seq),
        (from, to, id, kind, "threa", seq),
        (from, to, id, kind, thread, 2),
        (from, to, "idc", "ore.msg", thread, seq),
    ] {
        assert_ne!(of(other), want, "{other:?}");
    }
    // Computed with Python's hashlib from the headers of the golden envelope.
    let headers = judge(&Letter::golden()).unwrap();
    let got = bind(&headers.from, &headers.to, &headers.id, &headers.kind, &headers.thread, headers.seq);
    assert_eq!(got, "kQ7WmHuf409JccwMX3cbsQ");
}
