//! From a path to a route. Ids may be raw or percent-encoded.

/// A route with what its path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// `/health`
    Health,
    /// `/allowlist/{agent_id}`
    Allowlist(String),
    /// `/inbox/{agent_id}`
    Inbox(String),
    /// `/inbox/{agent_id}/purge`
    Purge(String),
    /// `/inbox/{agent_id}/live`
    Live(String),
    /// `/pair/{session_id}`
    Pair(String),
    /// `/invite/{name}`
    Invite(String),
    /// `/invite/{name}/claim`
    Claim(String),
    /// `/artifact/{hash}`
    Artifact(String),
    /// `/test-panic/{agent_id}`, in the build of one test only.
    #[cfg(feature = "test-panic")]
    Panic(String),
}

impl Route {
    /// The route of a URL's path, or `None` where there is none.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let mut segments = path.strip_prefix('/')?.split('/');
        let (head, id, tail) = (segments.next()?, segments.next(), segments.next());
        if segments.next().is_some() {
            return None;
        }
        let Some(id) = id else {
            return (head == "health").then_some(Self::Health);
        };
        let id = percent_decode(id).filter(|id| !id.is_empty())?;
        match (head, tail) {
            ("allowlist", None) => Some(Self::Allowlist(id)),
            ("inbox", None) => Some(Self::Inbox(id)),
            ("inbox", Some("purge")) => Some(Self::Purge(id)),
            ("inbox", Some("live")) => Some(Self::Live(id)),
            ("pair", None) => Some(Self::Pair(id)),
            ("invite", None) => Some(Self::Invite(id)),
            ("invite", Some("claim")) => Some(Self::Claim(id)),
            ("artifact", None) => Some(Self::Artifact(id)),
            #[cfg(feature = "test-panic")]
            ("test-panic", None) => Some(Self::Panic(id)),
            _ => None,
        }
    }

    /// What the log may say of a request's path.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Health => "health",
            Self::Allowlist(_) => "allowlist",
            Self::Inbox(_) => "inbox",
            Self::Purge(_) => "purge",
            Self::Live(_) => "live",
            Self::Pair(_) => "pair",
            Self::Invite(_) => "invite",
            Self::Claim(_) => "claim",
            Self::Artifact(_) => "artifact",
            #[cfg(feature = "test-panic")]
            Self::Panic(_) => "panic",
        }
    }
}

/// Decodes `%XX`. `None` for a broken escape and for what is then no UTF-8.
fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'%' { hex_digit(rest.next()?)? << 4 | hex_digit(rest.next()?)? } else { byte });
    }
    String::from_utf8(bytes).ok()
}

fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_raw_and_encoded() {
        let id = || "ed25519:ab".to_owned();
        assert_eq!(Route::of("/health"), Some(Route::Health));
        for text in ["ed25519:ab", "ed25519%3Aab", "ed25519%3aab"] {
            assert_eq!(Route::of(&format!("/allowlist/{text}")), Some(Route::Allowlist(id())));
            assert_eq!(Route::of(&format!("/inbox/{text}")), Some(Route::Inbox(id())));
            assert_eq!(Route::of(&format!("/inbox/{text}/purge")), Some(Route::Purge(id())));
            assert_eq!(Route::of(&format!("/inbox/{text}/live")), Some(Route::Live(id())));
        }
        assert_eq!(Route::of("/pair/manifest%3A42-a-b-c"), Some(Route::Pair("manifest:42-a-b-c".to_owned())));
        assert_eq!(Route::of("/invite/w77"), Some(Route::Invite("w77".to_owned())));
        assert_eq!(Route::of("/invite/w77/claim"), Some(Route::Claim("w77".to_owned())));
        assert_eq!(Route::of("/artifact/00"), Some(Route::Artifact("00".to_owned())));
    }

    #[test]
    fn everything_else_is_no_route() {
        for path in [
            "",
            "/",
            "health",
            "/health/",
            "/health/x",
            "/inbox",
            "/inbox/",
            "/inbox//purge",
            "/inbox/a/",
            "/inbox/a/b",
            "/inbox/a/purge/x",
            "/pair/a/b",
            "/card/x",
            "/artifact",
            "/inbox/%",
            "/inbox/%4",
            "/inbox/%zz",
            "/inbox/%ff",
        ] {
            assert_eq!(Route::of(path), None, "{path}");
        }
    }
}
