//! What is typed, and what stands in the pairing slot.

use agentpair_protocol::base64url;
use agentpair_protocol::pairing::code::{Code, CodeFault, Form};
use agentpair_protocol::pairing::invite::is_name;
use agentpair_protocol::pairing::message::PairMessage;
use agentpair_protocol::pairing::spake::{Role, Spake};
use agentpair_protocol::pairing::words;
use agentpair_protocol::secret::SecretText;

use crate::choose;

fn code(typed: &str) {
    match Code::parse(typed) {
        Ok(code) => {
            assert!(is_name(code.name()), "the relay takes every name");
            // What is handed over is read as the same code; a link keeps its relay, and has one.
            let relayed = if code.relay().is_some() { code.clone() } else { code.clone().on_relay("https://r") };
            let handed_over = relayed.to_hand_over(None);
            // Escaped, a strange relay can take more room than a typed code may have.
            if handed_over.expose().len() <= 512 {
                let again = Code::parse(handed_over.expose()).unwrap();
                assert_eq!((again.form(), again.name(), again.password()), (code.form(), code.name(), code.password()));
                if code.relay().is_some() {
                    assert_eq!(again.relay(), code.relay());
                }
            }
            if code.form() != Form::Link {
                assert_eq!(Code::parse(code.password().expose()).unwrap(), code);
            }
        }
        Err(CodeFault::UnknownWord { position, nearest }) => {
            assert!((1..=3).contains(&position) && words::contains(nearest));
        }
        Err(CodeFault::Malformed) => {}
    }
}

fn slot(bytes: &[u8]) {
    let Some(message) = PairMessage::read(bytes) else { return };
    let text = message.to_json();
    // Writing it again cannot make it longer than the slot: escapes only get shorter, and unknown keys go.
    assert_eq!(PairMessage::read(text.as_bytes()), Some(message.clone()));
    if let PairMessage::Pake { payload, .. } = message
        && let Ok(bytes) = base64url::decode(&payload)
    {
        spake(&bytes);
    }
}

fn spake(message: &[u8]) {
    let side = |role| Spake::start_hazmat(role, &SecretText::new("42-a-b-c".to_owned()), "s", &[7; 64]).unwrap();
    for role in [Role::Initiator, Role::Joiner] {
        let taken = side(role).finish(message);
        if message.len() != 33 || message[0] == side(role).message()[0] {
            assert!(taken.is_err());
        }
    }
}

/// A typed code, a message in the slot, or a message of the key agreement.
pub fn pairing(data: &[u8]) {
    let (which, rest) = choose(data);
    match which % 3 {
        0 => code(&String::from_utf8_lossy(rest)),
        1 => slot(rest),
        _ => spake(rest),
    }
}
