//! `spake2-half-known.json`, `pairing-words.txt`, the two fingerprints and `pair-bond-ok-tag.json`
//! (PAIR-5, PAIR-8, PAIR-10, PAIR-11).
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

mod support;

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use std::collections::BTreeSet;

use agentpair_protocol::base64url;
use agentpair_protocol::envelope::Profiles;
use agentpair_protocol::pairing::confirm::{Parties, bond_tag, fingerprint, fingerprint_v1, hex_equals};
use agentpair_protocol::pairing::spake::{Role, Spake};
use agentpair_protocol::secret::{Secret, SecretText};
use serde::Deserialize;
use serde_json::Value;
use support::{array, bytes, fixture, parse};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HalfKnown {
    code: String,
    session_id: String,
    known_role: Role,
    known_scalar_le_hex: String,
    known_message_hex: String,
    peer_message_hex: String,
    shared_key_hex: String,
}

fn half_known() -> Vec<HalfKnown> {
    let vectors: Vec<HalfKnown> = parse(fixture!("agentpair-1.0-draft/spake2-half-known.json"));
    assert_eq!(vectors.len(), 6);
    vectors
}

/// Starts with a scalar of 32 bytes, little endian. The code is the password as it is: no parsing, no normal form.
fn start(role: Role, code: &str, session_id: &str, scalar: &[u8; 32]) -> Spake {
    let mut wide = [0; 64];
    wide[..32].copy_from_slice(scalar);
    Spake::start_hazmat(role, &SecretText::new(code.to_owned()), session_id, &wide).unwrap()
}

#[test]
fn half_known_exchanges_end_in_their_key() {
    for vector in half_known() {
        let scalar = array(&vector.known_scalar_le_hex);
        let side = start(vector.known_role, &vector.code, &vector.session_id, &scalar);
        assert_eq!(hex::encode(side.message()), vector.known_message_hex, "{}", vector.code);
        let key = side.finish(&bytes(&vector.peer_message_hex)).unwrap();
        assert_eq!(hex::encode(key.expose()), vector.shared_key_hex, "{}", vector.code);
    }
}

#[test]
fn code_session_and_side_all_enter_the_key() {
    for vector in half_known() {
        let scalar = array(&vector.known_scalar_le_hex);
        let key = |code: &str, session_id: &str| {
            let side = start(vector.known_role, code, session_id, &scalar);
            hex::encode(side.finish(&bytes(&vector.peer_message_hex)).unwrap().expose())
        };
        let good = key(&vector.code, &vector.session_id);
        assert_eq!(good, vector.shared_key_hex);
        for code in [vector.code.to_uppercase(), format!("{} ", vector.code), vector.code.replace('-', " ")] {
            assert_ne!(key(&code, &vector.session_id), good, "{code:?}: letter case and gaps are part of the password");
        }
        assert_ne!(key(&vector.code, "other"), good);
        let other = if vector.known_role == Role::Initiator { Role::Joiner } else { Role::Initiator };
        let swapped = start(other, &vector.code, &vector.session_id, &scalar);
        assert!(swapped.finish(&bytes(&vector.peer_message_hex)).is_err(), "one's own side byte is refused");
    }
}

#[test]
fn messages_of_another_shape_are_refused() {
    for vector in half_known() {
        let good = bytes(&vector.peer_message_hex);
        let finish = |message: &[u8]| {
            let scalar = array(&vector.known_scalar_le_hex);
            start(vector.known_role, &vector.code, &vector.session_id, &scalar).finish(message).is_ok()
        };
        let with_point = |point: &str| [&good[..1], &bytes(point)].concat();
        assert!(finish(&good));
        let mut side = good.clone();
        side[0] = 0x53;
        let ones = "ff".repeat(30);
        for bad in [
            Vec::new(),
            good[..32].to_vec(),
            good[1..].to_vec(),
            [good.clone(), vec![0]].concat(),
            side,
            with_point(&format!("02{}", "00".repeat(31))), // no point
            with_point(&format!("01{}", "00".repeat(31))), // the identity
            with_point(&"00".repeat(32)),                  // order 4
            with_point(&format!("f0{ones}7f")),            // y = 3 as p + 3
        ] {
            assert!(!finish(&bad), "{bad:02x?}");
        }
    }
}

/// A vector made with python `spake2` 0.9, which is another implementation of the same transcript.
#[test]
fn both_halves_known() {
    let session = "00000000-0000-4000-8000-000000000000";
    let scalar = |big_endian: &str| {
        let mut bytes: [u8; 32] = array(&format!("{big_endian:0>64}"));
        bytes.reverse();
        bytes
    };
    let a = start(
        Role::Initiator,
        "42-otter-maple-crane",
        session,
        &scalar("e76eae4818b2cbd2d4e6ac39dfa8404203763b59edec817a0b4f161152dbbdb"),
    );
    let b = start(
        Role::Joiner,
        "42-otter-maple-crane",
        session,
        &scalar("abf0cf4a1f34d7172e649bb8709e1ef967145f03c2fa4b1a823067c0497b50f"),
    );
    assert_eq!(hex::encode(a.message()), "414d78618909b2535e0fbbfccee745e36a5b11ab915988ea16b05f3b945fedb899");
    assert_eq!(base64url::encode(a.message()), "QU14YYkJslNeD7v8zudF42pbEauRWYjqFrBfO5Rf7biZ");
    assert_eq!(hex::encode(b.message()), "4283a1d86db7148a7696a80f4dd6448241bd7743bd7fa4272a5dcdfcab04f267a1");
    let (from_a, from_b) = (*a.message(), *b.message());
    let key = "d0c7c3ebb89678827be5ca3794fe6f11521d4794f29d0ef2f05eac46019e7780";
    assert_eq!(hex::encode(a.finish(&from_b).unwrap().expose()), key);
    assert_eq!(hex::encode(b.finish(&from_a).unwrap().expose()), key);
}

#[test]
fn the_drafts_words_make_the_codes_of_the_vectors() {
    let words: Vec<&str> = fixture!("agentpair-1.0-draft/pairing-words.txt").lines().collect();
    assert_eq!(words.len(), 256);
    assert_eq!(words.iter().collect::<BTreeSet<_>>().len(), 256, "no word twice");
    assert!(words.iter().all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase())));
    for vector in half_known() {
        let parts: Vec<&str> = vector.code.split('-').collect();
        assert_eq!(parts.len(), 4);
        assert!((10..=99).contains(&parts[0].parse::<u32>().unwrap()));
        assert!(parts[1..].iter().all(|word| words.contains(word)), "{}", vector.code);
    }
    // Any word of the list is a password verbatim: both sides agree.
    for (n, word) in words.iter().enumerate() {
        let code = format!("{}-{word}-{word}-{}", 10 + n % 90, words[255 - n]);
        let (a, b) = (start(Role::Initiator, &code, "s", &[1; 32]), start(Role::Joiner, &code, "s", &[2; 32]));
        let (from_a, from_b) = (*a.message(), *b.message());
        assert_eq!(a.finish(&from_b).unwrap(), b.finish(&from_a).unwrap(), "{code}");
    }
}

fn shared_key(value: &Value) -> Secret<32> {
    Secret::new(array(value["sharedKeyHex"].as_str().unwrap()))
}

fn profiles(value: &Value) -> Profiles {
    Profiles::new(serde_json::from_value(value.clone()).unwrap()).unwrap()
}

#[test]
fn fingerprint_v2_covers_key_ids_and_both_lists_in_order() {
    let file: Value = parse(fixture!("agentpair-1.0-draft/pair-confirm-fingerprint-v2.json"));
    let golden = &file["golden"];
    let key = shared_key(golden);
    let (init, join) = (profiles(&golden["profilesInit"]), profiles(&golden["profilesJoin"]));
    let parties = Parties {
        initiator: golden["initiatorId"].as_str().unwrap(),
        joiner: golden["joinerId"].as_str().unwrap(),
        initiator_profiles: &init,
        joiner_profiles: &join,
    };
    let want = fingerprint(&key, parties);
    let text = golden["fingerprint"].as_str().unwrap();
    assert_eq!(hex::encode(want), text);
    assert!(hex_equals(text, &want));
    assert!(!hex_equals(&text.to_uppercase(), &want) && !hex_equals(&text[..62], &want) && !hex_equals("", &want));

    let list = |ids: &[&str]| Profiles::new(ids.iter().map(|id| (*id).to_owned()).collect()).unwrap();
    let (turned, shorter, empty) = (list(&["nego/1", "core/1"]), list(&["core/1"]), list(&[]));
    let Parties { initiator, joiner, .. } = parties;
    for other in [
        Parties { initiator: joiner, joiner: initiator, ..parties },
        Parties { initiator_profiles: &turned, ..parties },
        Parties { joiner_profiles: &turned, ..parties },
        Parties { joiner_profiles: &shorter, ..parties },
        Parties { initiator_profiles: &empty, ..parties },
    ] {
        assert_ne!(fingerprint(&key, other), want, "{other:?}");
    }
    assert_ne!(fingerprint(&Secret::new([0; 32]), parties), want);
}

#[test]
fn fingerprint_v1_in_both_orders() {
    let file: Value = parse(fixture!("agentpair-1.0-draft/pair-confirm-fingerprint.json"));
    let golden = &file["golden"];
    let key = shared_key(golden);
    let (init, join) = (golden["initiatorId"].as_str().unwrap(), golden["joinerId"].as_str().unwrap());
    assert_eq!(hex::encode(fingerprint_v1(&key, init, join)), golden["fingerprint"]);
    assert_eq!(hex::encode(fingerprint_v1(&key, join, init)), golden["reversedFingerprint"]);
}

#[test]
fn bond_ok_tag_of_each_role() {
    let file: Value = parse(fixture!("agentpair-1.0-draft/pair-bond-ok-tag.json"));
    let key = shared_key(&file);
    let cases = file["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2);
    for case in cases {
        assert_eq!(
            hex::encode(bond_tag(&key, case["agentId"].as_str().unwrap())),
            case["expectedTag"],
            "{}",
            case["role"]
        );
    }
}
