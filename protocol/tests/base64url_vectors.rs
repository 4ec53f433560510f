//! `base64url.json`: exactly one text for each byte string (ENV-1).
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

mod support;

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::base64url::{NotBase64Url, append, decode, decode_array, encode};
use serde::Deserialize;
use support::{bytes, fixture, parse};

#[derive(Deserialize)]
struct File {
    accept: Vec<Accept>,
    reject: Vec<Refused>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accept {
    input: String,
    decoded_hex: String,
}

#[derive(Deserialize)]
struct Refused {
    input: String,
    reason: String,
}

#[test]
fn the_drafts_cases() {
    let file: File = parse(fixture!("agentpair-1.0-draft/base64url.json"));
    assert_eq!((file.accept.len(), file.reject.len()), (2, 5));
    for case in file.accept {
        assert_eq!(decode(&case.input), Ok(bytes(&case.decoded_hex)), "{}", case.input);
        assert_eq!(encode(&bytes(&case.decoded_hex)), case.input);
    }
    for case in file.reject {
        assert_eq!(decode(&case.input), Err(NotBase64Url), "{}", case.reason);
    }
}

#[test]
fn every_short_byte_string_has_one_text() {
    for length in 1..=4 {
        for seed in 0..=255_u8 {
            let bytes: Vec<u8> = (0..length).map(|n| seed.wrapping_mul(31).wrapping_add(n * 57)).collect();
            let text = encode(&bytes);
            assert_eq!(decode(&text), Ok(bytes.clone()));
            let mut appended = vec![b'x'];
            append(&bytes, &mut appended);
            assert_eq!(appended, format!("x{text}").into_bytes());
        }
    }
    // Of the 64 last characters only those without spare bits are canonical.
    let alphabet = || (0..=127_u8).map(char::from).filter(|c| c.is_ascii_alphanumeric() || *c == '-' || *c == '_');
    let canonical = |prefix: &str| alphabet().filter(|c| decode(&format!("{prefix}{c}")).is_ok()).count();
    assert_eq!([canonical(""), canonical("A"), canonical("AA"), canonical("AAA")], [0, 4, 16, 64]);
    for stray in ["A A", "AA\n", "\nAA", "AA=", "AAA=", "AA==", "AAAA=", "A+", "A/", "AÄ", "AA\0", "=", "A", "AAAAA"] {
        assert_eq!(decode(stray), Err(NotBase64Url), "{stray:?}");
    }
}

#[test]
fn arrays_have_their_length() {
    assert_eq!(decode_array("AQID"), Ok([1, 2, 3]));
    assert_eq!(decode_array::<2>("AQID"), Err(NotBase64Url));
    assert_eq!(decode_array::<4>("AQID"), Err(NotBase64Url));
    assert_eq!(decode_array::<0>(""), Err(NotBase64Url));
}

#[test]
fn a_foreign_character_is_seen_at_every_place() {
    // Long enough for every path of the decoder, and without spare bits.
    let text = "A".repeat(44);
    for at in 0..text.len() {
        for c in (0..=127_u8).map(char::from).chain(['é', '\u{2028}', '\u{1f600}']) {
            let mut changed = text.clone();
            changed.replace_range(at..=at, &c.to_string());
            let known = c.is_ascii_alphanumeric() || c == '-' || c == '_';
            assert_eq!(decode(&changed).is_ok(), known, "{c:?} at {at}");
        }
    }
}
