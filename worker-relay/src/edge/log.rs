//! One line per request: what kind it was and how it went. Never an id, a name, a code or a body.

use serde::Serialize;
use worker::console_log;

/// What is logged of a request.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    /// The route's name, or `none`.
    pub(crate) route: &'a str,
    pub(crate) method: &'a str,
    pub(crate) status: u16,
    /// The `error` of a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<&'a str>,
    /// Size of the request body.
    pub(crate) size: &'static str,
    pub(crate) ms: u64,
}

impl Line<'_> {
    pub(crate) fn print(&self) {
        if let Ok(text) = serde_json::to_string(self) {
            console_log!("{text}");
        }
    }
}

/// A size as a word: exact sizes would tell messages apart.
pub(crate) fn size_bucket(length: Option<u64>) -> &'static str {
    match length {
        None | Some(0) => "0",
        Some(..=1_024) => "1K",
        Some(..=16_384) => "16K",
        Some(..=131_072) => "128K",
        Some(_) => "10M",
    }
}
