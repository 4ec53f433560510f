//! The four Wycheproof files, through our own code where its parameters are open (ID-3, section 3.1).
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

mod support;

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::base64url;
use agentpair_protocol::envelope::{NoSharedKey, hazmat, shared_secret_of};
use agentpair_protocol::identity::{AgentId, PREFIX};
use hkdf::Hkdf;
use serde::Deserialize;
use sha2::Sha256;
use support::{array, bytes, fixture, parse, verify_strict};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File<G> {
    number_of_tests: usize,
    test_groups: Vec<G>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group<T> {
    #[serde(default)]
    iv_size: usize,
    tests: Vec<T>,
}

/// All cases of a file, with the nonce size of their group; none is left out.
fn cases<T: serde::de::DeserializeOwned>(text: &str, count: usize) -> Vec<(usize, T)> {
    let file: File<Group<T>> = parse(text);
    let cases: Vec<(usize, T)> =
        file.test_groups.into_iter().flat_map(|g| g.tests.into_iter().map(move |t| (g.iv_size, t))).collect();
    assert_eq!((file.number_of_tests, cases.len()), (count, count));
    cases
}

#[test]
fn ed25519_through_agent_ids() {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Signed {
        public_key: PublicKey,
        tests: Vec<Case>,
    }
    #[derive(Deserialize)]
    struct PublicKey {
        pk: String,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Case {
        tc_id: u32,
        msg: String,
        sig: String,
        result: String,
    }
    let file: File<Signed> = parse(fixture!("wycheproof/ed25519_test.json"));
    let (mut tried, mut accepted, mut refused_keys, mut refused_by_strictness) = (0, 0, 0, Vec::new());
    for group in file.test_groups {
        let key = bytes(&group.public_key.pk);
        let id = AgentId::parse(&format!("{PREFIX}{}", base64url::encode(&key)));
        refused_keys += usize::from(id.is_err());
        for case in group.tests {
            let (msg, sig) = (bytes(&case.msg), bytes(&case.sig));
            let verifies = id.as_ref().is_ok_and(|id| id.verify(&msg, &sig).is_ok());
            assert_eq!(verifies, verify_strict(&key, &msg, &sig), "tcId {}", case.tc_id);
            match case.result.as_str() {
                "invalid" => assert!(!verifies, "tcId {}", case.tc_id),
                _ if !verifies => refused_by_strictness.push(case.tc_id),
                _ => accepted += 1,
            }
            tried += 1;
        }
    }
    assert_eq!(tried, 151);
    assert_eq!(file.number_of_tests, 151);
    // Strictness changes no case: all 88 valid signatures verify, and every key of the file is a usable agent id.
    assert_eq!((accepted, refused_keys), (88, 0));
    assert_eq!(refused_by_strictness, [0; 0]);
}

#[test]
fn x25519_as_the_pair_key_uses_it() {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Case {
        tc_id: u32,
        public: String,
        private: String,
        shared: String,
        result: String,
        flags: Vec<String>,
    }
    let mut refused = Vec::new();
    for (_, case) in cases::<Case>(fixture!("wycheproof/x25519_test.json"), 518) {
        let shared = shared_secret_of(array(&case.private), array(&case.public));
        let zero = case.flags.iter().any(|flag| flag == "ZeroSharedSecret");
        let expected = if zero { Err(NoSharedKey) } else { Ok(array(&case.shared)) };
        assert_eq!(shared, expected, "tcId {}", case.tc_id);
        if zero {
            assert_eq!(case.result, "acceptable", "tcId {}", case.tc_id);
            refused.push(case.tc_id);
        }
    }
    // The pair key refuses these, and only these: the shared secret is all zero.
    assert_eq!(refused, ZERO_SHARED_SECRET);
}

/// The cases whose point is of small order, on the curve or on its twist.
const ZERO_SHARED_SECRET: [u32; 31] = [
    32, 33, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 117, 118,
    154, 165, 166,
];

#[test]
fn xchacha20_poly1305_through_our_layout() {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Case {
        tc_id: u32,
        key: String,
        iv: String,
        aad: String,
        msg: String,
        ct: String,
        tag: String,
        result: String,
    }
    let (mut sealed_and_opened, mut refused, mut other_nonce_sizes) = (0, 0, 0);
    for (iv_size, case) in cases::<Case>(fixture!("wycheproof/xchacha20_poly1305_test.json"), 315) {
        // Our nonces are arrays of 24 bytes: another size cannot be said.
        if iv_size != 192 {
            assert_eq!(case.result, "invalid", "tcId {}", case.tc_id);
            other_nonce_sizes += 1;
            continue;
        }
        let (key, nonce, aad) = (array(&case.key), array(&case.iv), bytes(&case.aad));
        let sealed = [bytes(&case.iv), bytes(&case.ct), bytes(&case.tag)].concat();
        let opened = hazmat::open(&key, &aad, sealed.clone());
        if case.result == "valid" {
            assert_eq!(hazmat::seal(&key, &nonce, &aad, &bytes(&case.msg)).unwrap(), sealed, "tcId {}", case.tc_id);
            assert_eq!(opened, Some(bytes(&case.msg)), "tcId {}", case.tc_id);
            sealed_and_opened += 1;
        } else {
            assert_eq!(opened, None, "tcId {}", case.tc_id);
            refused += 1;
        }
    }
    assert_eq!((sealed_and_opened, refused, other_nonce_sizes), (246, 60, 9));
}

#[test]
fn hkdf_sha256_as_our_keys_are_derived() {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Case {
        tc_id: u32,
        ikm: String,
        salt: String,
        info: String,
        size: usize,
        okm: String,
        result: String,
    }
    // Our two keys have fixed info and size and no salt, so the crate is called here as they call it. The vector of
    // `payload-encryption.json` covers the fixed parameters.
    let mut unsalted = 0;
    for (_, case) in cases::<Case>(fixture!("wycheproof/hkdf_sha256_test.json"), 86) {
        let (ikm, salt, info) = (bytes(&case.ikm), bytes(&case.salt), bytes(&case.info));
        let expand = |salt: Option<&[u8]>| {
            let mut okm = vec![0; case.size];
            Hkdf::<Sha256>::new(salt, &ikm).expand(&info, &mut okm).is_ok().then(|| hex::encode(okm))
        };
        let want = (case.result == "valid").then(|| case.okm.clone());
        assert_eq!(expand(Some(&salt)), want, "tcId {}", case.tc_id);
        if salt.is_empty() {
            assert_eq!(expand(None), want, "tcId {}: no salt is an empty salt", case.tc_id);
            unsalted += 1;
        }
    }
    assert!(unsalted > 0);
}
