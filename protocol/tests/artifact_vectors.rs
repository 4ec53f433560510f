//! `artifact-spillover.json`: the sealed bytes, their hash and the reference (ART-1 to ART-4, ART-7).
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

mod support;

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::artifact::{SpillRef, open, seal_with_nonce, sha256_hex};
use agentpair_protocol::error::Reject;
use serde::Deserialize;
use serde_json::{Value, json};
use support::{array, bytes, fixture, parse};

#[derive(Deserialize)]
struct Vector {
    plaintext_hex: String,
    key_hex: String,
    nonce_hex: String,
    blob_hex: String,
    hash: String,
    spill_ref: Value,
}

fn vector() -> Vector {
    parse(fixture!("agentpair-1.0-draft/artifact-spillover.json"))
}

#[test]
fn blob_hash_and_reference_are_reproduced() {
    let vector = vector();
    let plaintext = bytes(&vector.plaintext_hex);
    let (sealed, reference) = seal_with_nonce(&plaintext, &array(&vector.key_hex), &array(&vector.nonce_hex)).unwrap();
    assert_eq!(hex::encode(&sealed), vector.blob_hex);
    assert_eq!(sha256_hex(&sealed), vector.hash);
    // Compared as text, for the order of the keys.
    assert_eq!(
        serde_json::to_string(&reference).unwrap(),
        format!(
            "{{\"spill\":1,\"artifact_hash\":\"{}\",\"size\":16,\"content_type\":\"application/json\",\
             \"summary\":\"{{\\\"body\\\":\\\"hello\\\"}}\",\"artifact_key\":{}}}",
            vector.hash, vector.spill_ref["artifact_key"]
        )
    );
    assert_eq!(serde_json::to_value(&reference).unwrap(), vector.spill_ref);
    assert_eq!(open(&reference, sealed), Ok(plaintext));
}

#[test]
fn the_drafts_blob_opens_and_nothing_near_it_does() {
    let vector = vector();
    let read = |value: &Value| SpillRef::read(value.to_string().as_bytes());
    let reference = read(&vector.spill_ref).unwrap().unwrap();
    let blob = bytes(&vector.blob_hex);
    assert_eq!(open(&reference, blob.clone()), Ok(bytes(&vector.plaintext_hex)));
    for at in 0..blob.len() {
        let mut altered = blob.clone();
        altered[at] ^= 0x80;
        assert_eq!(open(&reference, altered.clone()), Err(Reject::ArtifactDecryptFailed), "byte {at}");
        // Nor if the hash agrees.
        let mut fitting = vector.spill_ref.clone();
        fitting["artifact_hash"] = json!(sha256_hex(&altered));
        let fitting = read(&fitting).unwrap().unwrap();
        assert_eq!(open(&fitting, altered), Err(Reject::ArtifactDecryptFailed), "byte {at}");
    }
    for size in [15, 17] {
        let mut other = vector.spill_ref.clone();
        other["size"] = json!(size);
        assert_eq!(open(&read(&other).unwrap().unwrap(), blob.clone()), Err(Reject::ArtifactDecryptFailed));
    }
    let mut renamed = vector.spill_ref.clone();
    renamed["artifact_hash"] = json!(sha256_hex(b"other"));
    let verdict = open(&read(&renamed).unwrap().unwrap(), blob.clone());
    assert_eq!(verdict, Err(Reject::ArtifactDecryptFailed), "it decrypts, but is not what was named");
    assert_eq!(open(&reference, blob[..39].to_vec()), Err(Reject::ArtifactDecryptFailed));
    assert_eq!(open(&reference, Vec::new()), Err(Reject::ArtifactDecryptFailed));
}

#[test]
fn references_are_strict_whatever_is_wrong() {
    let good = vector().spill_ref;
    for (name, value) in [
        ("spill", json!(2)),
        ("spill", json!("1")),
        ("spill", json!(null)),
        ("spill", json!(1.5)),
        ("artifact_hash", json!("1C72")),
        ("artifact_hash", json!(vector().hash.to_uppercase())),
        ("artifact_hash", json!(1)),
        ("size", json!(-1)),
        ("size", json!(1.5)),
        ("size", json!("16")),
        ("content_type", json!(1)),
        ("summary", json!("x".repeat(241))),
        ("artifact_key", json!("AwMD")),
        ("artifact_key", json!("")),
        ("artifact_key", json!("AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwN")),
        ("extra", json!(1)),
    ] {
        let mut bad = good.clone();
        bad[name] = value;
        assert_eq!(SpillRef::read(bad.to_string().as_bytes()), Err(Reject::InvalidPayload), "{bad}");
    }
    for name in ["artifact_hash", "size", "content_type", "summary", "artifact_key"] {
        let mut bad = good.clone();
        bad.as_object_mut().unwrap().remove(name);
        assert_eq!(SpillRef::read(bad.to_string().as_bytes()), Err(Reject::InvalidPayload), "{name}");
    }
    let mut wide = good.clone();
    wide["summary"] = json!("😀".repeat(240));
    assert!(SpillRef::read(wide.to_string().as_bytes()).is_ok(), "characters count, not bytes");
    for (size, verdict) in [(10_485_760_u64, None), (10_485_761, Some(Reject::ArtifactTooLarge))] {
        let mut large = good.clone();
        large["size"] = json!(size);
        assert_eq!(SpillRef::read(large.to_string().as_bytes()).err(), verdict);
    }
    // A payload without the key is no reference; a text that is no object is no payload.
    assert_eq!(SpillRef::read(b"{\"body\":\"spill\"}"), Ok(None));
    for text in ["[]", "1", "", "{\"spill\":1,\"spill\":1}"] {
        assert_eq!(SpillRef::read(text.as_bytes()), Err(Reject::InvalidPayload), "{text}");
    }
}

#[test]
fn ten_mebibytes_are_the_limit() {
    let mut plaintext = vec![b'x'; 10_485_760];
    let (sealed, reference) = seal_with_nonce(&plaintext, &[3; 32], &[4; 24]).unwrap();
    assert_eq!(sealed.len(), plaintext.len() + 40);
    assert_eq!(reference.content_type, "application/octet-stream");
    assert_eq!(reference.summary, "x".repeat(240));
    plaintext.push(b'x');
    assert_eq!(seal_with_nonce(&plaintext, &[3; 32], &[4; 24]).err(), Some(Reject::ArtifactTooLarge));
}
