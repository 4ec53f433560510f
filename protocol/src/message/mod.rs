//! What envelopes carry: one type for each kind, in the draft's spelling and key order.
//!
//! Receivers ignore keys that they do not know; ours are appended after the draft's.

mod bond;
mod core;
mod negotiation;

pub use self::bond::{ApproverWord, Hello, HostKind, Revoked, RootVoucher};
pub use self::core::{Ack, Close, Msg, RefusedId};
pub use self::negotiation::{
    AGREED_SECTION, ApprovalWord, Budget, BudgetProposal, BudgetReject, Criterion, CriterionTest, Mandate, Open,
    OpenApproved, OpenExpired, OpenReject, Ratified, Signed, Turn, TurnKind, deadline_ms,
};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::envelope::Kind;
use crate::error::Reject;
use crate::json::FlatObject;
use crate::limits::{REASON_BYTES, TURN_TYPE_BYTES};

/// A parsed payload.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each variant is the payload of the kind of its name")]
pub enum Message {
    Msg(Msg),
    Close(Close),
    Ack(Ack),
    Open(Open),
    OpenApproved(OpenApproved),
    OpenReject(OpenReject),
    OpenExpired(OpenExpired),
    Turn(Turn),
    Signed(Signed),
    Ratified(Ratified),
    BudgetPropose(BudgetProposal),
    BudgetApproved(BudgetProposal),
    BudgetReject(BudgetReject),
    Hello(Box<Hello>),
    Revoked(Revoked),
}

impl Message {
    /// The kind of its envelope.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Msg(_) => Kind::CoreMsg,
            Self::Close(_) => Kind::CoreClose,
            Self::Ack(_) => Kind::CoreAck,
            Self::Open(_) => Kind::NegoOpen,
            Self::OpenApproved(_) => Kind::NegoOpenApproved,
            Self::OpenReject(_) => Kind::NegoOpenReject,
            Self::OpenExpired(_) => Kind::NegoOpenExpired,
            Self::Turn(_) => Kind::NegoTurn,
            Self::Signed(_) => Kind::NegoSigned,
            Self::Ratified(_) => Kind::NegoRatified,
            Self::BudgetPropose(_) => Kind::NegoBudgetPropose,
            Self::BudgetApproved(_) => Kind::NegoBudgetApproved,
            Self::BudgetReject(_) => Kind::NegoBudgetReject,
            Self::Hello(_) => Kind::BondHello,
            Self::Revoked(_) => Kind::BondRevoked,
        }
    }

    /// Parses the plaintext of a kind. It must have passed [`Extras::read`], which checks that it is strict JSON.
    ///
    /// # Errors
    /// [`Reject::InvalidPayload`] for another shape or an inner `thread` that differs from the envelope's,
    /// [`Reject::UnsupportedEnvelopeType`] for kinds known by name only.
    pub fn read(kind: Kind, thread: &str, plaintext: &[u8]) -> Result<Self, Reject> {
        let message = match kind {
            Kind::CoreMsg => Self::Msg(typed(plaintext)?),
            Kind::CoreClose => Self::Close(typed(plaintext)?),
            Kind::CoreAck => Self::Ack(typed(plaintext)?),
            Kind::NegoOpen => Self::Open(typed(plaintext)?),
            Kind::NegoOpenApproved => Self::OpenApproved(typed(plaintext)?),
            Kind::NegoOpenReject => Self::OpenReject(typed(plaintext)?),
            Kind::NegoOpenExpired => Self::OpenExpired(typed(plaintext)?),
            Kind::NegoTurn => Self::Turn(typed(plaintext)?),
            Kind::NegoSigned => Self::Signed(typed(plaintext)?),
            Kind::NegoRatified => Self::Ratified(typed(plaintext)?),
            Kind::NegoBudgetPropose => Self::BudgetPropose(typed(plaintext)?),
            Kind::NegoBudgetApproved => Self::BudgetApproved(typed(plaintext)?),
            Kind::NegoBudgetReject => Self::BudgetReject(typed(plaintext)?),
            Kind::BondHello => Self::Hello(Box::new(typed(plaintext)?)),
            Kind::BondRevoked => Self::Revoked(typed(plaintext)?),
            Kind::AtestChallenge | Kind::AtestReport => return Err(Reject::UnsupportedEnvelopeType),
        };
        if message.check() && message.inner_thread().is_none_or(|inner| inner == thread) {
            Ok(message)
        } else {
            Err(Reject::InvalidPayload)
        }
    }

    /// The payload as JSON, without what sealing adds.
    ///
    /// # Errors
    /// Those of `serde_json`, which none of these types can cause.
    pub fn to_json(&self) -> serde_json::Result<String> {
        fn text(value: &impl Serialize) -> serde_json::Result<String> {
            serde_json::to_string(value)
        }
        match self {
            Self::Msg(m) => text(m),
            Self::Close(m) => text(m),
            Self::Ack(m) => text(m),
            Self::Open(m) => text(m),
            Self::OpenApproved(m) => text(m),
            Self::OpenReject(m) => text(m),
            Self::OpenExpired(m) => text(m),
            Self::Turn(m) => text(m),
            Self::Signed(m) => text(m),
            Self::Ratified(m) => text(m),
            Self::BudgetPropose(m) | Self::BudgetApproved(m) => text(m),
            Self::BudgetReject(m) => text(m),
            Self::Hello(m) => text(m),
            Self::Revoked(m) => text(m),
        }
    }

    /// Bounds that the shapes alone do not express.
    fn check(&self) -> bool {
        match self {
            Self::Ack(ack) => ack.is_bounded(),
            Self::Close(Close { reason }) | Self::Revoked(Revoked { reason }) => is_reason(reason.as_deref()),
            Self::OpenReject(m) => is_reason(m.reason.as_deref()),
            Self::Turn(turn) => turn.msg_type.as_ref().is_none_or(|kind| kind.len() <= TURN_TYPE_BYTES),
            Self::Open(open) => open.is_sound(),
            Self::BudgetPropose(p) | Self::BudgetApproved(p) => p.is_sound(),
            Self::BudgetReject(r) => r.is_sound(),
            _ => true,
        }
    }

    fn inner_thread(&self) -> Option<&str> {
        match self {
            Self::OpenApproved(m) => m.thread.as_deref(),
            Self::OpenReject(m) => m.thread.as_deref(),
            Self::OpenExpired(m) => m.thread.as_deref(),
            Self::Turn(m) => m.thread.as_deref(),
            Self::Signed(m) => m.thread.as_deref(),
            Self::Ratified(m) => m.thread.as_deref(),
            Self::BudgetPropose(m) | Self::BudgetApproved(m) => Some(&m.thread),
            Self::BudgetReject(m) => Some(&m.thread),
            _ => None,
        }
    }
}

fn is_reason(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.len() <= REASON_BYTES)
}

fn typed<T: DeserializeOwned>(plaintext: &[u8]) -> Result<T, Reject> {
    serde_json::from_slice(plaintext).map_err(|_| Reject::InvalidPayload)
}

/// The keys that sealing adds to a plaintext under `bond/1`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extras {
    /// Binds the plaintext to its envelope.
    pub bind: Option<String>,
    /// Names an owner message across re-seals.
    pub mid: Option<String>,
    /// When the message stops being worth delivering, unix milliseconds.
    pub expires_at: Option<u64>,
}

impl Extras {
    /// Checks that a plaintext is one strict JSON object, and reads the added keys.
    ///
    /// # Errors
    /// [`Reject::InvalidPayload`].
    pub fn read(plaintext: &[u8]) -> Result<Self, Reject> {
        let object = FlatObject::parse(plaintext).map_err(|_| Reject::InvalidPayload)?;
        let expires_at = match object.get("expires_at") {
            None => None,
            Some(_) => {
                Some(object.integer("expires_at").and_then(|n| u64::try_from(n).ok()).ok_or(Reject::InvalidPayload)?)
            }
        };
        Ok(Self {
            bind: object.text("bind").map(str::to_owned),
            mid: object.text("mid").filter(|mid| mid.len() <= 64).map(str::to_owned),
            expires_at,
        })
    }

    /// Appends the keys to a payload's JSON.
    #[must_use]
    pub fn append_to(&self, payload: &str) -> String {
        let mut text = payload.strip_suffix('}').unwrap_or(payload).to_owned();
        let mut push = |key: &str, value: String| {
            if !text.ends_with('{') {
                text.push(',');
            }
            text.push_str(&format!("\"{key}\":{value}"));
        };
        // `mid` is a UUID and `bind` base64url: neither needs escaping.
        if let Some(mid) = &self.mid {
            push("mid", format!("\"{mid}\""));
        }
        if let Some(at) = self.expires_at {
            push("expires_at", at.to_string());
        }
        if let Some(bind) = &self.bind {
            push("bind", format!("\"{bind}\""));
        }
        text.push('}');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extras_are_appended_and_read_back() {
        let extras = Extras { bind: Some("YQ".to_owned()), mid: Some("m".to_owned()), expires_at: Some(5) };
        assert_eq!(extras.append_to("{}"), r#"{"mid":"m","expires_at":5,"bind":"YQ"}"#);
        let text = extras.append_to(r#"{"body":"a"}"#);
        assert_eq!(text, r#"{"body":"a","mid":"m","expires_at":5,"bind":"YQ"}"#);
        assert_eq!(Extras::read(text.as_bytes()), Ok(extras));
        assert_eq!(Extras::default().append_to(r#"{"body":"a"}"#), r#"{"body":"a"}"#);
        assert_eq!(Extras::read(br#"{"expires_at":1.5}"#), Err(Reject::InvalidPayload));
        assert_eq!(Extras::read(b"[]"), Err(Reject::InvalidPayload));
    }

    #[test]
    fn key_order_is_the_drafts() {
        let cases: [(Message, &str); 4] = [
            (Message::Msg(Msg { body: "a".to_owned(), kind: None }), r#"{"body":"a"}"#),
            (Message::Close(Close { reason: None }), "{}"),
            (
                Message::OpenApproved(OpenApproved {
                    thread: Some("t".to_owned()),
                    approved_by: Some("x".to_owned()),
                    terms: None,
                }),
                r#"{"thread":"t","approved_by":"x"}"#,
            ),
            (
                Message::Signed(Signed {
                    thread: Some("t".to_owned()),
                    artifact_hash: "h".to_owned(),
                    agreement: None,
                }),
                r#"{"thread":"t","artifact_hash":"h"}"#,
            ),
        ];
        for (message, text) in cases {
            assert_eq!(message.to_json().unwrap(), text);
            assert_eq!(Message::read(message.kind(), "t", text.as_bytes()), Ok(message));
        }
        assert_eq!(
            Message::read(Kind::NegoSigned, "other", br#"{"thread":"t","artifact_hash":"h"}"#),
            Err(Reject::InvalidPayload)
        );
    }
}
