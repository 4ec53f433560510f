//! Errors as JavaScript knows them: an `Error` with a stable `code` and a `blame`.

use agentpair_protocol::envelope::SealFault;
use agentpair_protocol::error::{Bug, Failure, Misuse, Refusal, Reject};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** What every function of this module throws. */
export interface AgentPairError extends Error {
  /** Stable, the same in every language. */
  readonly code: string;
  /** Who is to blame: the peer, a policy, the caller, or this code. */
  readonly blame: "peer" | "policy" | "caller" | "bug";
}
"#;

#[wasm_bindgen]
extern "C" {
    /// A JavaScript `Error`.
    #[wasm_bindgen(js_name = Error, extends = js_sys::Object)]
    #[derive(Debug, Clone)]
    pub type CodedError;

    #[wasm_bindgen(constructor, js_class = "Error")]
    fn new(message: &str) -> CodedError;

    #[wasm_bindgen(method, setter)]
    fn set_code(this: &CodedError, code: &str);

    #[wasm_bindgen(method, setter)]
    fn set_blame(this: &CodedError, blame: &str);
}

/// The error of that code. The message is the code and what `detail` adds to it.
pub(crate) fn coded(code: &str, blame: &str, detail: &str) -> CodedError {
    let error = match detail {
        "" => CodedError::new(code),
        detail => CodedError::new(&format!("{code}: {detail}")),
    };
    error.set_code(code);
    error.set_blame(blame);
    error
}

/// The caller passed what can never be right.
pub(crate) fn invalid(detail: &str) -> CodedError {
    coded(Misuse::InvalidArgument.code(), "caller", detail)
}

/// A peer's input is refused.
pub(crate) fn rejected(reject: Reject) -> CodedError {
    coded(reject.code(), "peer", "")
}

/// An envelope was not made.
pub(crate) fn unsealed(fault: SealFault) -> CodedError {
    match fault {
        SealFault::TooLarge => failed(&Refusal::PayloadTooLarge.into()),
        SealFault::Header => failed(&Bug::Serialise.into()),
    }
}

/// A command was not carried out.
pub(crate) fn failed(failure: &Failure) -> CodedError {
    coded(failure.code(), failure.blame(), failure.detail())
}
