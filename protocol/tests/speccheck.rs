//! The twelve edge cases of "Taming the many EdDSAs" (ePrint 2020/1244). Libraries differ; our verdicts are pinned,
//! each with its reason, which is worked out here from the bytes and not taken from the code under test (ID-1, ID-3).
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

mod support;

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::base64url;
use agentpair_protocol::identity::{AgentId, PREFIX};
use curve25519_dalek::Scalar;
use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use ed25519_dalek::{Signature, Verifier as _, VerifyingKey};
use serde::Deserialize;
use sha2::{Digest as _, Sha512};
use support::{array, bytes, fixture, parse, verify_strict};

#[derive(Deserialize)]
struct Case {
    message: String,
    pub_key: String,
    signature: String,
}

/// What strict verification holds against a signature, the first that applies.
#[derive(Debug, PartialEq, Eq)]
enum Objection {
    /// The key is of small order: no agent id.
    KeySmallOrder,
    /// The key is a point in another than its one encoding: no agent id.
    KeyNonCanonical,
    /// S is not below the group order: the signature could be changed without the key.
    ScalarOutOfRange,
    /// R is of small order.
    PointSmallOrder,
    /// R is a point in another than its one encoding.
    PointNonCanonical,
    /// The equation holds only after multiplying by the cofactor.
    OnlyCofactored,
}

/// A point and whether it is in its one encoding.
fn point(encoded: [u8; 32]) -> (EdwardsPoint, bool) {
    let point = CompressedEdwardsY(encoded).decompress().unwrap();
    (point, point.compress().to_bytes() == encoded)
}

fn objection(case: &Case) -> Option<Objection> {
    let (key, signature) = (array::<32>(&case.pub_key), array::<64>(&case.signature));
    let (r, s) = signature.split_at(32);
    let ((a_point, a_canonical), (r_point, r_canonical)) = (point(key), point(r.try_into().unwrap()));
    let scalar: Option<Scalar> = Scalar::from_canonical_bytes(s.try_into().unwrap()).into();
    let hash = Sha512::new().chain_update(r).chain_update(key).chain_update(bytes(&case.message)).finalize();
    let k = Scalar::from_bytes_mod_order_wide(&hash.into());
    match scalar {
        _ if a_point.is_small_order() => Some(Objection::KeySmallOrder),
        _ if !a_canonical => Some(Objection::KeyNonCanonical),
        None => Some(Objection::ScalarOutOfRange),
        _ if r_point.is_small_order() => Some(Objection::PointSmallOrder),
        _ if !r_canonical => Some(Objection::PointNonCanonical),
        Some(s) => {
            let difference = EdwardsPoint::mul_base(&s) - r_point - a_point * k;
            assert!(difference.is_small_order(), "no case of the file is wrong in every mode");
            (difference.compress().to_bytes() != EdwardsPoint::default().compress().to_bytes())
                .then_some(Objection::OnlyCofactored)
        }
    }
}

fn accepts(key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    AgentId::parse(&format!("{PREFIX}{}", base64url::encode(key))).is_ok_and(|id| id.verify(message, signature).is_ok())
}

#[test]
fn the_verdict_on_each_case_has_its_reason() {
    let cases: Vec<Case> = parse(fixture!("ed25519-speccheck/cases.json"));
    let verdicts: Vec<Option<Objection>> = cases.iter().map(objection).collect();
    assert_eq!(
        verdicts,
        [
            Some(Objection::KeySmallOrder),
            Some(Objection::KeySmallOrder),
            Some(Objection::PointSmallOrder),
            None, // key and R have a part of small order, and the equation holds without the cofactor
            Some(Objection::OnlyCofactored),
            Some(Objection::OnlyCofactored),
            Some(Objection::ScalarOutOfRange),
            Some(Objection::ScalarOutOfRange),
            Some(Objection::PointSmallOrder), // R is not in its one encoding either, here and in the next
            Some(Objection::PointSmallOrder),
            Some(Objection::KeySmallOrder), // nor is the key, here and in the next
            Some(Objection::KeySmallOrder),
        ]
    );
    for (n, (case, objection)) in cases.iter().zip(&verdicts).enumerate() {
        let (key, message, signature) = (bytes(&case.pub_key), bytes(&case.message), bytes(&case.signature));
        assert_eq!(accepts(&key, &message, &signature), objection.is_none(), "case {n}: {objection:?}");
        assert_eq!(verify_strict(&key, &message, &signature), objection.is_none(), "case {n}: {objection:?}");
    }
}

/// Our check for R of small order works on its bytes. Here the equation holds for each of the eight points as R,
/// under a key that has a part of small order: only that check can refuse these signatures.
#[test]
fn no_r_of_small_order_passes() {
    let scalar = Scalar::from(7_u64);
    let key = EdwardsPoint::mul_base(&scalar) + EIGHT_TORSION[1];
    let key_bytes = key.compress().to_bytes();
    let library = VerifyingKey::from_bytes(&key_bytes).unwrap();
    for r in EIGHT_TORSION {
        let r_bytes = r.compress().to_bytes();
        // s = k * scalar leaves -k * T of the equation: some message makes that R.
        let found = (0..1_000_u32).map(u32::to_le_bytes).find_map(|message| {
            let hash = Sha512::new().chain_update(r_bytes).chain_update(key_bytes).chain_update(message).finalize();
            let k = Scalar::from_bytes_mod_order_wide(&hash.into());
            (-(EIGHT_TORSION[1] * k) == r).then(|| (message, [r_bytes, (k * scalar).to_bytes()].concat()))
        });
        let (message, signature) = found.unwrap();
        let parsed = Signature::from_slice(&signature).unwrap();
        assert!(library.verify(&message, &parsed).is_ok(), "the equation holds");
        assert!(!accepts(&key_bytes, &message, &signature));
        assert!(!verify_strict(&key_bytes, &message, &signature));
    }
}
