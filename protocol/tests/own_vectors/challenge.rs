//! Section 16: challenges, as a relay makes and checks them, and as a host decides whether to sign.

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::base64url;
use agentpair_protocol::challenge::{Purpose, check, issue, may_sign};
use serde_json::{Value, json};

use super::support::array;
use super::{cases, keys, own, text};

const KEY: [u8; 32] = [9; 32];
const HOST: &str = "relay.example:8443";
const EXPIRES_AT: u32 = 1_800_000_060;
const NOW_S: u64 = 1_800_000_000;

fn purpose(word: &str) -> Purpose {
    match word {
        "pull" => Purpose::Pull,
        "purge" => Purpose::Purge,
        "live" => Purpose::Live,
        "trim" => Purpose::Trim,
        "invite" => Purpose::Invite,
        other => unreachable!("{other}"),
    }
}

fn made(subject: &str, word: &str, host: &str) -> String {
    issue(&KEY, subject, purpose(word), host, EXPIRES_AT, [1; 5]).unwrap()
}

/// With one bit of one byte turned.
fn turned(text: &str, at: usize) -> String {
    let mut bytes = base64url::decode(text).unwrap();
    bytes[at] ^= 1;
    base64url::encode(&bytes)
}

fn file() -> Value {
    let [alice, bob, _] = keys();
    let (subject, other) = (alice.agent_id().as_str(), bob.agent_id().as_str());
    let issued: Vec<Value> = ["pull", "purge", "live", "trim", "invite"]
        .into_iter()
        .map(|word| {
            let subject = if word == "invite" { "invite:w77" } else { subject };
            json!({
                "name": word,
                "key": hex::encode(KEY),
                "subject": subject,
                "purpose": word,
                "host": HOST,
                "expiresAt": EXPIRES_AT,
                "random": "0101010101",
                "challenge": made(subject, word, HOST),
            })
        })
        .collect();
    let good = made(subject, "pull", HOST);
    let checked: Vec<Value> = [
        ("sound", good.clone(), subject, "pull", NOW_S, true),
        ("in_its_last_second", good.clone(), subject, "pull", u64::from(EXPIRES_AT) - 1, true),
        ("expired", good.clone(), subject, "pull", u64::from(EXPIRES_AT), false),
        ("for_another", good.clone(), other, "pull", NOW_S, false),
        ("for_another_purpose", good.clone(), subject, "purge", NOW_S, false),
        ("magic_altered", turned(&good, 0), subject, "pull", NOW_S, false),
        ("purpose_altered", turned(&good, 2), subject, "pull", NOW_S, false),
        ("expiry_altered", turned(&good, 6), subject, "pull", NOW_S, false),
        ("random_altered", turned(&good, 7), subject, "pull", NOW_S, false),
        ("origin_altered", turned(&good, 12), subject, "pull", NOW_S, false),
        ("mac_altered", turned(&good, 31), subject, "pull", NOW_S, false),
        ("of_another_key", issue(&[8; 32], subject, Purpose::Pull, HOST, EXPIRES_AT, [1; 5]).unwrap(), subject, "pull", NOW_S, false),
        ("padded", format!("{good}="), subject, "pull", NOW_S, false),
        ("opaque", base64url::encode(&[3; 32]), subject, "pull", NOW_S, false),
    ]
    .into_iter()
    .map(|(name, challenge, subject, purpose, now, ok)| {
        let key = hex::encode(KEY);
        json!({ "name": name, "key": key, "challenge": challenge, "subject": subject, "purpose": purpose, "now": now, "ok": ok })
    })
    .collect();
    let signable: Vec<Value> = [
        ("its_own_relay", good.clone(), HOST, "pull", true),
        ("another_relay", good.clone(), "relay.example", "pull", false),
        ("another_purpose", good.clone(), HOST, "trim", false),
        ("opaque_of_the_draft", base64url::encode(&[3; 32]), HOST, "pull", true),
        ("of_33_bytes", base64url::encode(&[3; 33]), HOST, "pull", false),
        ("of_31_bytes", base64url::encode(&[3; 31]), HOST, "pull", false),
        ("with_spare_bits", format!("{}B", &good[..42]), HOST, "pull", false),
        ("padded", format!("{good}="), HOST, "pull", false),
        ("an_envelope_body", "{\"v\":1}".to_owned(), HOST, "pull", false),
        ("empty", String::new(), HOST, "pull", false),
    ]
    .into_iter()
    .map(|(name, challenge, host, purpose, ok)| {
        json!({ "name": name, "challenge": challenge, "host": host, "purpose": purpose, "ok": ok })
    })
    .collect();
    json!({ "issued": issued, "checked": checked, "signable": signable })
}

#[test]
fn a_challenge_is_good_for_one_relay_subject_and_purpose() {
    let file = own!("challenge", file());
    for (name, case) in cases(&file, "issued") {
        let (key, random) = (array(text(case, "key")), array(text(case, "random")));
        let expires_at = u32::try_from(case["expiresAt"].as_u64().unwrap()).unwrap();
        let purpose = purpose(text(case, "purpose"));
        let issued = issue(&key, text(case, "subject"), purpose, text(case, "host"), expires_at, random);
        assert_eq!(issued.as_deref(), Ok(text(case, "challenge")), "{name}");
    }
    for (name, case) in cases(&file, "checked") {
        let (key, now) = (array(text(case, "key")), case["now"].as_u64().unwrap());
        let verdict = check(&key, text(case, "subject"), purpose(text(case, "purpose")), text(case, "challenge"), now);
        assert_eq!(verdict.is_ok(), case["ok"], "{name}");
    }
    for (name, case) in cases(&file, "signable") {
        let verdict = may_sign(text(case, "challenge"), text(case, "host"), purpose(text(case, "purpose")));
        assert_eq!(verdict.is_ok(), case["ok"], "{name}");
    }
}
