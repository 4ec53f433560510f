//! Pairing codes in their three forms. The secret part never leaves the two hosts.

use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

use super::words;
use crate::base64url;
use crate::secret::SecretText;

/// Longest text that is read as a code: a link to a page and a relay of 200 bytes each, percent-encoded.
const CODE_BYTES: usize = 2_048;

/// How a code is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum Form {
    /// Spoken: digits and three words.
    Words,
    /// Spoken: six digits. The bond is held until its safety number was verified.
    Digits,
    /// Sent or scanned: a link.
    Link,
}

/// A pairing code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    form: Form,
    name: String,
    password: SecretText,
    relay: Option<String>,
}

/// Why a typed code is refused, before anything is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeFault {
    /// None of the three shapes.
    Malformed,
    /// A word is not in the list.
    UnknownWord {
        /// Which of the three, from 1.
        position: usize,
        /// The most similar word of the list.
        nearest: &'static str,
    },
}

impl Code {
    /// Draws a fresh code. `digits` is the length of a spoken name, 2 to 5.
    pub fn draw(form: Form, digits: u32, rng: &mut impl CryptoRng) -> Self {
        match form {
            Form::Words => {
                let floor = 10_u32.pow(digits.clamp(2, 5) - 1);
                let number = (floor + below(rng, floor * 9)).to_string();
                let mut text = number.clone();
                for _ in 0..3 {
                    let at = below(rng, u32::try_from(words::COUNT).unwrap_or(1));
                    text.push('-');
                    text.push_str(words::all().get(at as usize).copied().unwrap_or_default());
                }
                Self { form, name: format!("w{number}"), password: SecretText::new(text), relay: None }
            }
            Form::Digits => {
                let (name, secret) = (below(rng, 1_000), below(rng, 1_000));
                Self {
                    form,
                    name: format!("d{name:03}"),
                    password: SecretText::new(format!("{name:03}-{secret:03}")),
                    relay: None,
                }
            }
            Form::Link => {
                let mut bytes = [[0_u8; 16]; 2];
                bytes.iter_mut().for_each(|half| rng.fill_bytes(half));
                let [name, secret] = bytes.map(|half| base64url::encode(&half));
                let name = format!("l{name}");
                Self { form, password: SecretText::new(format!("{name}.{secret}")), name, relay: None }
            }
        }
    }

    /// Reads what a human typed, pasted or scanned.
    ///
    /// # Errors
    /// [`CodeFault`].
    pub fn parse(typed: &str) -> Result<Self, CodeFault> {
        let typed = typed.trim();
        if typed.len() > CODE_BYTES {
            return Err(CodeFault::Malformed);
        }
        if let Some(code) = Self::parse_link(typed) {
            return Ok(code);
        }
        let text = normalise(typed);
        let mut parts = text.split('-');
        let (Some(number), rest) = (parts.next(), parts.collect::<Vec<_>>()) else {
            return Err(CodeFault::Malformed);
        };
        if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
            return Err(CodeFault::Malformed);
        }
        match rest.as_slice() {
            [secret] if number.len() == 3 && secret.len() == 3 && secret.bytes().all(|b| b.is_ascii_digit()) => {
                Ok(Self {
                    form: Form::Digits,
                    name: format!("d{number}"),
                    password: SecretText::new(text),
                    relay: None,
                })
            }
            spoken @ [_, _, _] if (2..=5).contains(&number.len()) && !number.starts_with('0') => {
                if let Some(at) = spoken.iter().position(|word| !words::contains(word)) {
                    let word = spoken.get(at).copied().unwrap_or_default();
                    return Err(CodeFault::UnknownWord { position: at + 1, nearest: words::nearest(word) });
                }
                Ok(Self { form: Form::Words, name: format!("w{number}"), password: SecretText::new(text), relay: None })
            }
            _ => Err(CodeFault::Malformed),
        }
    }

    /// `name.secret`, alone or as the `i` of a link's fragment, beside the relay in `r`.
    fn parse_link(typed: &str) -> Option<Self> {
        let (mut pair, mut relay) = (typed, None);
        if let Some((_, fragment)) = typed.split_once('#') {
            let member = |key: &str| fragment.split('&').find_map(|m| m.strip_prefix(key)?.strip_prefix('='));
            pair = member("i")?;
            relay = member("r").map(percent_decode);
        }
        let (name, secret) = pair.split_once('.')?;
        base64url::decode_array::<16>(name.strip_prefix('l')?).ok()?;
        base64url::decode_array::<16>(secret).ok()?;
        let relay = match relay {
            None => None,
            Some(url) => Some(url.filter(|url| url.starts_with("https://") || url.starts_with("http://"))?),
        };
        Some(Self { form: Form::Link, name: name.to_owned(), password: SecretText::new(pair.to_owned()), relay })
    }

    /// A code drawn before, from its stored parts.
    pub(crate) fn stored(form: Form, name: &str, password: SecretText) -> Self {
        Self { form, name: name.to_owned(), password, relay: None }
    }

    /// The same code with the relay that its invite is on, for links.
    #[must_use]
    pub fn on_relay(mut self, relay: &str) -> Self {
        self.relay = Some(relay.to_owned());
        self
    }

    /// The form.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// The rendezvous name: all that a relay sees.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The relay named in a link.
    #[must_use]
    pub fn relay(&self) -> Option<&str> {
        self.relay.as_deref()
    }

    /// The SPAKE2 password: the whole code in normal form.
    #[must_use]
    pub fn password(&self) -> &SecretText {
        &self.password
    }

    /// What the human hands over: the spoken text, or a link under `page` (`agentpair:` without one).
    #[must_use]
    pub fn to_hand_over(&self, page: Option<&str>) -> SecretText {
        if self.form != Form::Link {
            return self.password.clone();
        }
        let page = page.map_or("agentpair:", |page| page.trim_end_matches('#'));
        let relay = self.relay.as_deref().map(|relay| format!("r={}&", percent_encode(relay))).unwrap_or_default();
        SecretText::new(format!("{page}#{relay}i={}", self.password.expose()))
    }
}

/// NFKC, lower case, and one `-` for each run of spaces, underscores and dashes.
fn normalise(typed: &str) -> String {
    let mut text = String::with_capacity(typed.len());
    for c in typed.nfkc().flat_map(char::to_lowercase) {
        let is_gap =
            c.is_whitespace() || c == '_' || c == '-' || ('\u{2010}'..='\u{2015}').contains(&c) || c == '\u{2212}';
        if !is_gap {
            text.push(c);
        } else if !text.ends_with('-') {
            text.push('-');
        }
    }
    text.trim_matches('-').to_owned()
}

/// A uniform draw from `0..bound`, by rejection.
fn below(rng: &mut impl CryptoRng, bound: u32) -> u32 {
    let zone = u32::MAX - u32::MAX % bound;
    loop {
        let draw = rng.next_u32();
        if draw < zone {
            return draw % bound;
        }
    }
}

fn percent_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for b in text.bytes() {
        if b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~' | b':' | b'/') {
            out.push(char::from(b));
        } else {
            out.push_str(&format!("%{b:02X}"));
        }
    }
    out
}

fn percent_decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'%' {
            out.push(*first);
            continue;
        }
        let (digits, tail) = rest.split_first_chunk::<2>()?;
        rest = tail;
        let digits = std::str::from_utf8(digits).ok()?;
        out.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chacha20::ChaCha20Rng;
    use rand_core::SeedableRng as _;

    fn rng() -> ChaCha20Rng {
        ChaCha20Rng::from_seed([5; 32])
    }

    #[test]
    fn drawn_codes_parse_to_themselves() {
        let mut rng = rng();
        for _ in 0..200 {
            for (form, digits) in [(Form::Words, 2), (Form::Words, 5), (Form::Digits, 3), (Form::Link, 0)] {
                let code = Code::draw(form, digits, &mut rng).on_relay("http://127.0.0.1:3001/a?b");
                let parsed = Code::parse(code.to_hand_over(Some("https://pair.example/x")).expose()).unwrap();
                assert_eq!((parsed.form(), parsed.name(), parsed.password()), (form, code.name(), code.password()));
                if form == Form::Link {
                    assert_eq!(parsed.relay(), code.relay());
                }
            }
        }
    }

    #[test]
    fn typing_is_forgiving_about_gaps_and_case_only() {
        let want = Code::parse("42-oval-aardvark-zucchini");
        assert!(want.is_err(), "oval is not in the list");
        let want = Code::parse("42-oasis-aardvark-zucchini").unwrap();
        for typed in [" 42 Oasis AARDVARK zucchini ", "42_oasis–aardvark  -zucchini", "４２-oasis-aardvark-zucchini"]
        {
            assert_eq!(Code::parse(typed).unwrap(), want, "{typed}");
        }
        assert_eq!(
            Code::parse("42-oasis-aardvrak-zucchini"),
            Err(CodeFault::UnknownWord { position: 2, nearest: "aardvark" })
        );
        for typed in
            ["", "42", "42-oasis", "4-oasis-aardvark-zucchini", "oasis-aardvark-zucchini", "123-45", "https://x/#i=l.x"]
        {
            assert_eq!(Code::parse(typed), Err(CodeFault::Malformed), "{typed}");
        }
        assert_eq!(Code::parse("123 456").unwrap().name(), "d123");
    }

    #[test]
    fn the_name_tells_nothing_of_the_secret() {
        let code = Code::draw(Form::Link, 0, &mut rng());
        let (name, secret) = code.password().expose().split_once('.').unwrap();
        assert_eq!(name, code.name());
        assert!(!name.contains(secret));
        assert!(!format!("{code:?}").contains(secret));
    }
}
