//! Pairing codes as they are typed.

use agentpair_protocol::error::{Failure, Refusal};
use agentpair_protocol::pairing::code::{Code, CodeFault, Form};
use serde::Serialize;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;

use crate::error::{CodedError, failed};

/// What a typed code says, short of its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
pub struct ParsedCode {
    /// How it was handed over.
    pub form: Form,
    /// The rendezvous name: all that a relay sees.
    pub name: String,
    /// The relay named in a link.
    #[tsify(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relay: Option<String>,
}

/// Reads what a human typed, pasted or scanned.
///
/// # Errors
/// `code_malformed`; `code_word_unknown`, whose message names the word's position and the nearest known word.
#[wasm_bindgen(js_name = parseCode)]
pub fn parse_code(typed: &str) -> Result<Ts<ParsedCode>, CodedError> {
    let code = Code::parse(typed).map_err(|fault| failed(&refusal(&fault)))?;
    let parsed = ParsedCode { form: code.form(), name: code.name().to_owned(), relay: code.relay().map(str::to_owned) };
    parsed.into_ts().map_err(|_| failed(&agentpair_protocol::error::Bug::Serialise.into()))
}

fn refusal(fault: &CodeFault) -> Failure {
    match fault {
        CodeFault::Malformed => Refusal::CodeMalformed.into(),
        CodeFault::UnknownWord { position, nearest } => Failure::Refused(
            Refusal::CodeWordUnknown,
            format!("word {position} is not in the list; did you mean {nearest}?"),
        ),
    }
}
