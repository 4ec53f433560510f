//! Deliverables: the exact bytes that are agreed on.

use serde::{Deserialize, Serialize};
use unicode_normalization::is_nfc;

use crate::artifact::sha256_hex;
use crate::json;
use crate::limits::DELIVERABLE_BYTES;

/// Longest name and media type.
const NAME_BYTES: usize = 128;

/// What a deliverable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum DeliverableKind {
    /// Plain text.
    Text,
    /// JSON.
    Json,
    /// An OpenAPI document.
    Openapi,
    /// A meeting slot.
    Slot,
    /// A statement of work.
    Sow,
}

impl DeliverableKind {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Openapi => "openapi",
            Self::Slot => "slot",
            Self::Sow => "sow",
        }
    }
}

/// A deliverable with its bytes. All kinds are text, so that a human can read what is signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Deliverable {
    /// What it is.
    pub kind: DeliverableKind,
    /// Its media type.
    pub media_type: String,
    /// Its name.
    pub name: String,
    /// The exact text. Its UTF-8 bytes are what is hashed.
    pub text: String,
}

/// A deliverable without its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Described {
    /// What it is.
    pub kind: DeliverableKind,
    /// Its media type.
    pub media_type: String,
    /// Its name.
    pub name: String,
    /// SHA-256 of its bytes, lowercase hex.
    pub sha256: String,
    /// Number of its bytes.
    pub bytes: u64,
}

/// Why a deliverable cannot be signed by two sides, and what would mend it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliverableFault {
    /// Not in Unicode normal form C.
    NotNfc,
    /// Has carriage returns.
    NotLf,
    /// Begins with a byte order mark.
    ByteOrderMark,
    /// Not strict JSON although its kind says so.
    NotJson,
    /// A name or media type is empty, too long or has control characters.
    Label,
    /// Empty.
    Empty,
    /// More than 1 MiB.
    TooLarge,
}

impl DeliverableFault {
    /// What to do about it.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::NotNfc => "normalise the text to Unicode NFC",
            Self::NotLf => "end lines with LF, not CR LF",
            Self::ByteOrderMark => "remove the byte order mark",
            Self::NotJson => "send one JSON object or array without duplicate keys",
            Self::Label => "give a name and a media type of 1 to 128 printable characters",
            Self::Empty => "send the text itself",
            Self::TooLarge => "keep it below 1 MiB: a human has to read it",
        }
    }
}

impl Deliverable {
    /// Checks that both sides see, and hash, the same thing.
    ///
    /// # Errors
    /// [`DeliverableFault`]: the first that applies.
    pub fn check(&self) -> Result<(), DeliverableFault> {
        let is_label = |text: &str| (1..=NAME_BYTES).contains(&text.len()) && !text.chars().any(char::is_control);
        if self.text.is_empty() {
            return Err(DeliverableFault::Empty);
        }
        if self.text.len() > DELIVERABLE_BYTES {
            return Err(DeliverableFault::TooLarge);
        }
        if self.text.starts_with('\u{feff}') {
            return Err(DeliverableFault::ByteOrderMark);
        }
        if self.text.contains('\r') {
            return Err(DeliverableFault::NotLf);
        }
        if !is_nfc(&self.text) {
            return Err(DeliverableFault::NotNfc);
        }
        if !is_label(&self.name) || !is_label(&self.media_type) {
            return Err(DeliverableFault::Label);
        }
        if self.kind == DeliverableKind::Json {
            let is_container = matches!(self.text.trim_start().as_bytes().first(), Some(b'{' | b'['));
            if !is_container || json::check(self.text.as_bytes()).is_err() {
                return Err(DeliverableFault::NotJson);
            }
        }
        Ok(())
    }

    /// Its description.
    #[must_use]
    pub fn describe(&self) -> Described {
        Described {
            kind: self.kind,
            media_type: self.media_type.clone(),
            name: self.name.clone(),
            sha256: sha256_hex(self.text.as_bytes()),
            bytes: self.text.len() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_texts_pass() {
        let with = |kind, text: &str| {
            Deliverable { kind, media_type: "text/plain".to_owned(), name: "n".to_owned(), text: text.to_owned() }
                .check()
        };
        use DeliverableKind::{Json, Text};
        assert_eq!(with(Text, "é\n"), Ok(()));
        assert_eq!(with(Text, ""), Err(DeliverableFault::Empty));
        assert_eq!(with(Text, &"x".repeat(DELIVERABLE_BYTES)), Ok(()));
        assert_eq!(with(Text, &"x".repeat(DELIVERABLE_BYTES + 1)), Err(DeliverableFault::TooLarge));
        assert_eq!(with(Text, "e\u{301}"), Err(DeliverableFault::NotNfc));
        assert_eq!(with(Text, "a\r\n"), Err(DeliverableFault::NotLf));
        assert_eq!(with(Text, "\u{feff}a"), Err(DeliverableFault::ByteOrderMark));
        assert_eq!(with(Json, "{\"a\":[1]}\n"), Ok(()));
        assert_eq!(with(Json, "[{\"a\":1}]"), Ok(()));
        for text in ["{\"a\":1,\"a\":2}", "5", "{", "[1],\"b\":2", "{}}"] {
            assert_eq!(with(Json, text), Err(DeliverableFault::NotJson), "{text}");
        }
    }
}
