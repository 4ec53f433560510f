//! What an opened envelope is in JavaScript.

use agentpair_protocol::envelope;
use js_sys::{Object, Uint8Array};
use wasm_bindgen::prelude::*;

use crate::number::to_js;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** The signed headers of an envelope. */
export interface Headers {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly thread: string;
  /** Position in the thread, from 1. */
  readonly seq: number;
  /** Expiry, unix seconds. */
  readonly ttl: number;
  /** When it was sealed, unix milliseconds; under `bond/1` only. */
  readonly ts?: number;
  /** The sequence number sealed before this one, 0 first; under `bond/1` only. */
  readonly prev?: number;
}

/** A verified and decrypted envelope. Its content is still the word of a peer. */
export interface Opened {
  readonly headers: Headers;
  readonly plaintext: Uint8Array;
}
"#;

// Setters and not `Reflect.set`: no key crosses the boundary as a string.
#[wasm_bindgen]
extern "C" {
    /// Plain object of the interface `Headers`.
    #[wasm_bindgen(extends = Object, typescript_type = "Headers")]
    pub type Headers;
    #[wasm_bindgen(method, setter)]
    fn set_id(this: &Headers, id: &str);
    #[wasm_bindgen(method, setter)]
    fn set_from(this: &Headers, from: &str);
    #[wasm_bindgen(method, setter)]
    fn set_to(this: &Headers, to: &str);
    #[wasm_bindgen(method, setter)]
    fn set_type(this: &Headers, kind: &str);
    #[wasm_bindgen(method, setter)]
    fn set_thread(this: &Headers, thread: &str);
    #[wasm_bindgen(method, setter)]
    fn set_seq(this: &Headers, seq: f64);
    #[wasm_bindgen(method, setter)]
    fn set_ttl(this: &Headers, ttl: f64);
    #[wasm_bindgen(method, setter)]
    fn set_ts(this: &Headers, ts: f64);
    #[wasm_bindgen(method, setter)]
    fn set_prev(this: &Headers, prev: f64);

    /// Plain object of the interface `Opened`.
    #[wasm_bindgen(extends = Object, typescript_type = "Opened")]
    #[derive(Debug)]
    pub type Opened;
    #[wasm_bindgen(method, setter)]
    fn set_headers(this: &Opened, headers: &Headers);
    #[wasm_bindgen(method, setter)]
    fn set_plaintext(this: &Opened, plaintext: &Uint8Array);
}

impl From<&envelope::Headers> for Headers {
    fn from(headers: &envelope::Headers) -> Self {
        let js: Self = Object::new().unchecked_into();
        js.set_id(&headers.id);
        js.set_from(&headers.from);
        js.set_to(&headers.to);
        js.set_type(&headers.kind);
        js.set_thread(&headers.thread);
        js.set_seq(to_js(headers.seq));
        js.set_ttl(to_js(headers.ttl));
        if let Some(ts) = headers.sealed_at {
            js.set_ts(to_js(ts));
        }
        if let Some(prev) = headers.prev {
            js.set_prev(to_js(prev));
        }
        js
    }
}

impl From<&envelope::Opened> for Opened {
    fn from(opened: &envelope::Opened) -> Self {
        let js: Self = Object::new().unchecked_into();
        js.set_headers(&opened.headers().into());
        js.set_plaintext(&opened.plaintext().into());
        js
    }
}
