//! Every way to break an envelope that a step of the ladder must notice.

use agentpair_protocol::base64url;
use agentpair_protocol::identity::Keypair;

use super::key;
use super::letter::Letter;

/// The steps of the host's ladder, in the order of the draft's section 4.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Size,
    Text,
    OuterVersion,
    OuterShape,
    BodyShape,
    BodyVersion,
    Bond,
    Signature,
    Routing,
    Seq,
    Expiry,
    Payload,
    Dispatch,
}

impl Step {
    pub const ALL: [Self; 13] = [
        Self::Size,
        Self::Text,
        Self::OuterVersion,
        Self::OuterShape,
        Self::BodyShape,
        Self::BodyVersion,
        Self::Bond,
        Self::Signature,
        Self::Routing,
        Self::Seq,
        Self::Expiry,
        Self::Payload,
        Self::Dispatch,
    ];

    pub fn code(self) -> &'static str {
        match self {
            Self::Size => "envelope_too_large",
            Self::OuterVersion => "unsupported_version",
            Self::Text | Self::OuterShape | Self::BodyShape => "invalid_json",
            Self::BodyVersion => "version_mismatch",
            Self::Bond => "recipient_not_allowed",
            Self::Signature => "invalid_signature",
            Self::Routing => "routing_mismatch",
            Self::Seq => "stale_seq",
            Self::Expiry => "envelope_expired",
            Self::Payload => "invalid_payload",
            Self::Dispatch => "unsupported_envelope_type",
        }
    }

    /// Where the relay looks at the same thing; `None` where it does not look at all.
    pub fn at_relay(self) -> Option<usize> {
        match self {
            Self::Size => Some(0),
            Self::Text => Some(1),
            Self::OuterVersion => Some(2),
            Self::OuterShape => Some(3),
            Self::BodyShape => Some(4),
            Self::BodyVersion => Some(5),
            Self::Routing => Some(6),
            Self::Expiry => Some(7),
            Self::Signature => Some(8),
            Self::Bond | Self::Seq | Self::Payload | Self::Dispatch => None,
        }
    }
}

/// One fault. Two faults that touch the same part cannot be in one envelope.
pub struct Fault {
    pub step: Step,
    pub name: &'static str,
    pub touches: &'static [&'static str],
    pub apply: fn(&mut Letter),
}

impl Fault {
    pub fn collides(&self, touched: &[&str]) -> bool {
        self.touches.iter().any(|part| touched.contains(part))
    }
}

macro_rules! faults {
    ($($step:ident $name:literal [$($part:literal)*] $apply:expr;)+) => {
        pub const FAULTS: &[Fault] = &[$(Fault { step: Step::$step, name: $name, touches: &[$($part),*], apply: $apply },)+];
    };
}

faults! {
    Size "one byte too long" ["size"] |l| l.size = Some(65_537);
    Size "a megabyte" ["size"] |l| l.size = Some(1 << 20);

    Text "cut off" ["text"] |l| l.edit_text = |text| text[..text.len() - 1].to_owned();
    Text "two texts" ["text"] |l| l.edit_text = |text| format!("{text}{{}}");
    Text "inside an array" ["text"] |l| l.edit_text = |text| format!("[{text}]");
    Text "byte order mark" ["text"] |l| l.edit_text = |text| format!("\u{feff}{text}");
    Text "duplicate outer key" ["outer.extra"] |l| l.outer.push("to", "\"ed25519:x\"");
    Text "lone surrogate outside" ["outer.extra"] |l| l.outer.push("x", r#""\ud800""#);

    OuterVersion "outer v 2" ["outer.v"] |l| l.outer.set("v", "2");
    OuterVersion "outer v 0" ["outer.v"] |l| l.outer.set("v", "0");
    OuterVersion "outer v 1.5" ["outer.v"] |l| l.outer.set("v", "1.5");

    OuterShape "outer v a string" ["outer.v"] |l| l.outer.set("v", "\"1\"");
    OuterShape "outer v missing" ["outer.v"] |l| l.outer.remove("v");
    OuterShape "outer from a number" ["outer.from"] |l| l.outer.set("from", "1");
    OuterShape "outer to missing" ["outer.to"] |l| l.outer.remove("to");
    OuterShape "sig null" ["sig"] |l| l.sig = Some("null".to_owned());
    OuterShape "blob padded" ["blob"] |l| l.edit_blob = |blob| format!("{blob}=");
    OuterShape "blob in the other alphabet" ["blob"] |l| l.edit_blob = |blob| format!("{blob}+/+/");

    BodyShape "id missing" ["id"] |l| l.body.remove("id");
    BodyShape "id empty" ["id"] |l| l.body.set("id", "\"\"");
    BodyShape "body from a number" ["body.from"] |l| l.body.set("from", "1");
    BodyShape "type null" ["type"] |l| l.body.set("type", "null");
    BodyShape "thread missing" ["thread"] |l| l.body.remove("thread");
    BodyShape "seq a fraction" ["seq"] |l| l.body.set("seq", "1.5");
    BodyShape "seq 2^53" ["seq"] |l| l.body.set("seq", "9007199254740992");
    BodyShape "ttl a string" ["ttl"] |l| l.body.set("ttl", "\"1767203600\"");
    BodyShape "payload a number" ["payload"] |l| l.body.set("payload", "1");
    BodyShape "body v missing" ["body.v"] |l| l.body.remove("v");
    BodyShape "duplicate body key" ["body.extra"] |l| l.body.push("seq", "7");
    BodyShape "lone surrogate inside" ["body.extra"] |l| l.body.push("x", r#""\udfff""#);
    BodyShape "ts negative" ["body.extra"] |l| l.body.push("ts", "-1");
    BodyShape "body in an array" ["blob"] |l| l.edit_blob = |blob| rewrite(&blob, |body| format!("[{body}]"));

    BodyVersion "body v 2" ["body.v"] |l| l.body.set("v", "2");
    BodyVersion "body v 1.5" ["body.v"] |l| l.body.set("v", "1.5");

    Bond "not bonded" ["bond"] |l| l.harness.is_bonded = false;
    Bond "alias of the sender" ["body.from"] |l| l.body.set("from", &alias(&known_id("alice")));

    Signature "spare bits of sig" ["sig"] |l| l.sig = Some(with_honest_sig(l, |sig| format!("{}XX", &sig[..84])));
    Signature "sig of 63 bytes" ["sig"] |l| l.sig = Some(with_honest_sig(l, |sig| sig[..84].to_owned()));
    Signature "sig empty" ["sig"] |l| l.sig = Some("\"\"".to_owned());
    Signature "sig of another text" ["sig"] |l| l.sig = Some(format!("\"{}\"", base64url::encode(&l.signer.sign(b"other"))));
    Signature "signed by the recipient" ["signer"] |l| l.signer = key("bob");
    Signature "signed by a stranger" ["signer"] |l| l.signer = Keypair::from_seed([9; 32]);

    Routing "outer to altered" ["outer.to"] |l| l.outer.set("to", "\"ed25519:wrong\"");
    Routing "outer from altered" ["outer.from"] |l| l.outer.set("from", &known_id("bob"));
    Routing "outer from an alias" ["outer.from"] |l| l.outer.set("from", &alias(&known_id("alice")));
    Routing "for somebody else" ["outer.to" "body.to"] |l| { l.outer.set("to", &known_id("alice")); l.body.set("to", &known_id("alice")); };
    Routing "alias of the recipient" ["outer.to" "body.to"] |l| { let id = alias(&known_id("bob")); l.outer.set("to", &id); l.body.set("to", &id); };

    Seq "seen already" ["last"] |l| l.harness.last_accepted_seq = 1;
    Seq "far behind" ["last"] |l| l.harness.last_accepted_seq = 9_007_199_254_740_991;
    Seq "seq 0" ["seq"] |l| l.body.set("seq", "0");
    Seq "seq negative" ["seq"] |l| l.body.set("seq", "-1");

    Expiry "ttl equals now" ["ttl"] |l| l.body.set("ttl", &l.harness.now_unix.to_string());
    Expiry "ttl 0" ["ttl"] |l| l.body.set("ttl", "0");
    Expiry "ttl negative" ["ttl"] |l| l.body.set("ttl", "-1767203600");

    Payload "one byte" ["payload"] |l| l.body.set("payload", "\"YQ\"");
    Payload "39 bytes" ["payload"] |l| l.body.set("payload", &format!("\"{}\"", "A".repeat(52)));
    Payload "not base64url" ["payload"] |l| l.body.set("payload", "\"!!\"");
    Payload "tag altered" ["payload"] |l| set_payload(l, |payload| *payload.last_mut().unwrap() ^= 1);
    Payload "nonce altered" ["payload"] |l| set_payload(l, |payload| payload[0] ^= 1);
    Payload "ciphertext altered" ["payload"] |l| set_payload(l, |payload| payload[24] ^= 1);

    Dispatch "refused by the dispatch" ["dispatch"] |l| l.harness.dispatch_error = Some("unsupported_envelope_type".to_owned());
    Dispatch "unknown type" ["type"] |l| l.body.set("type", "\"core.unknown\"");
    Dispatch "type in another case" ["type"] |l| l.body.set("type", "\"Core.msg\"");
}

/// An agent id as raw JSON.
fn known_id(name: &str) -> String {
    format!("\"{}\"", super::known(name).agent_id)
}

/// Another spelling that a lenient decoder takes for the same key: the last character differs in its spare bits only.
fn alias(id: &str) -> String {
    let (rest, last) = id.trim_end_matches('"').split_at(id.len() - 2);
    let next = char::from(last.as_bytes()[0] + 1);
    format!("{rest}{next}\"")
}

fn with_honest_sig(letter: &Letter, edit: fn(&str) -> String) -> String {
    format!("\"{}\"", edit(&letter.honest_sig()))
}

fn set_payload(letter: &mut Letter, edit: fn(&mut Vec<u8>)) {
    let mut payload = letter.payload();
    edit(&mut payload);
    letter.body.set("payload", &format!("\"{}\"", base64url::encode(&payload)));
}

fn rewrite(blob: &str, edit: fn(String) -> String) -> String {
    let body = String::from_utf8(base64url::decode(blob).unwrap()).unwrap();
    base64url::encode(edit(body).as_bytes())
}
