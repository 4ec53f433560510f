//! Reading a body that nobody wants.
//!
//! A connection that is closed while its client still sends gives the client a broken pipe instead of the
//! answer: then it does not learn that its quota is exceeded, only that something failed.

use worker::web_sys::{Request, Response};
use worker::worker_sys::web_sys::ReadableStream;

use crate::limits::ARTIFACT_BYTES;

/// Larger bodies are left: whoever sends twice what anything here may be gets a broken pipe.
const MOST: u64 = 2 * ARTIFACT_BYTES;

/// Reads a body of known length, unless a route has begun to read it.
pub(crate) async fn drain(request: &Request, length: Option<u64>) {
    if request.body_used() || length.is_none_or(|length| length == 0 || length > MOST) {
        return;
    }
    let body: Option<ReadableStream> = request.body();
    // Read by the platform, outside of wasm. A client that has gone is no one's fault.
    if let Ok(response) = Response::new_with_opt_readable_stream(body.as_ref())
        && let Ok(bytes) = response.array_buffer()
    {
        let _ = worker::wasm_bindgen_futures::JsFuture::from(bytes).await;
    }
}
