//! Section 6.2: SPAKE2 with both scalars known, so that both messages and the key can be computed by anybody.

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::pairing::spake::{Role, Spake};
use agentpair_protocol::secret::SecretText;
use serde_json::{Value, json};

use super::support::{array, bytes};
use super::{cases, own, text};

const SESSION: &str = "00000000-0000-4000-8000-000000000000";

fn start(role: Role, code: &str, session: &str, scalar: &[u8; 32]) -> Spake {
    let mut wide = [0; 64];
    wide[..32].copy_from_slice(scalar);
    Spake::start_hazmat(role, &SecretText::new(code.to_owned()), session, &wide).unwrap()
}

fn case(name: &str, code: &str, x: [u8; 32], y: [u8; 32]) -> Value {
    let (a, b) = (start(Role::Initiator, code, SESSION, &x), start(Role::Joiner, code, SESSION, &y));
    let (from_a, from_b) = (*a.message(), *b.message());
    json!({
        "name": name,
        "code": code,
        "sessionId": SESSION,
        "initiatorScalarLeHex": hex::encode(x),
        "joinerScalarLeHex": hex::encode(y),
        "initiatorMessageHex": hex::encode(from_a),
        "joinerMessageHex": hex::encode(from_b),
        "keyHex": hex::encode(a.finish(&from_b).unwrap().expose()),
    })
}

fn file() -> Value {
    let scalar = |n: u8| {
        let mut bytes = [n; 32];
        // Below the group order.
        bytes[31] = 0x0f;
        bytes
    };
    json!({
        "cases": [
            case("words", "42-oasis-aardvark-zucchini", scalar(0x11), scalar(0x22)),
            case("digits", "123-456", scalar(0x33), scalar(0x44)),
            case("link", "lAAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA", scalar(0x55), scalar(0x66)),
        ]
    })
}

#[test]
fn both_halves_end_in_the_stored_key() {
    let file = own!("spake2", file());
    for (name, case) in cases(&file, "cases") {
        let side = |role, key: &str| start(role, text(case, "code"), text(case, "sessionId"), &array(text(case, key)));
        let (a, b) = (side(Role::Initiator, "initiatorScalarLeHex"), side(Role::Joiner, "joinerScalarLeHex"));
        assert_eq!(hex::encode(a.message()), case["initiatorMessageHex"], "{name}");
        assert_eq!(hex::encode(b.message()), case["joinerMessageHex"], "{name}");
        let (to_a, to_b) = (bytes(text(case, "joinerMessageHex")), bytes(text(case, "initiatorMessageHex")));
        assert_eq!(hex::encode(a.finish(&to_a).unwrap().expose()), case["keyHex"], "{name}");
        assert_eq!(hex::encode(b.finish(&to_b).unwrap().expose()), case["keyHex"], "{name}");
    }
}
