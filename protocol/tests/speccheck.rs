//! The twelve edge cases of "Taming the many EdDSAs" (ePrint 2020/1244). Libraries differ; our verdicts are pinned,
//! each with its reason, which is worked out here from the bytes and not taken from the code under test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

mod support;

use agentpair_protocol::base64url;
use agentpair_protocol::identity::{AgentId, PREFIX};
use curve25519_dalek::Scalar;
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use serde::Deserialize;
use sha2::{Digest as _, Sha512};
use support::{array, bytes, fixture, parse};

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

fn accepts(case: &Case) -> bool {
    AgentId::parse(&format!("{PREFIX}{}", base64url::encode(&bytes(&case.pub_key))))
        .is_ok_and(|id| id.verify(&bytes(&case.message), &bytes(&case.signature)).is_ok())
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
        assert_eq!(accepts(case), objection.is_none(), "case {n}: {objection:?}");
    }
}
