//! `GET /health`: what this relay is, and what it can do beyond the draft.

use serde::Serialize;

use crate::answer::Answer;

/// What this relay can do beyond the draft, by name. A client depends on a name, never on a version.
pub const EXTENSIONS: &[&str] = &[
    "allowlist-version",
    "challenge-v1",
    "epoch",
    "invite",
    "live",
    "pair-wait",
    "pair-if-match",
    "pull-page",
    "trim",
];

#[derive(Serialize)]
struct Health {
    status: &'static str,
    spec_version: &'static str,
    relay_conformance: &'static str,
    extensions: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact_quota_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact_retention_ms: Option<u64>,
}

/// The answer. The two numbers are told only where the operator set them, as in the draft.
#[must_use]
pub fn answer(artifact_quota_bytes: Option<u64>, artifact_retention_ms: Option<u64>) -> Answer {
    Answer::json(
        200,
        &Health {
            status: "ok",
            spec_version: "1.0-draft",
            relay_conformance: "agentpair-relay/1",
            extensions: EXTENSIONS,
            artifact_quota_bytes,
            artifact_retention_ms,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_claims_of_the_draft_and_ours() {
        let text = |answer: Answer| String::from_utf8(answer.body.unwrap()).unwrap();
        assert_eq!(
            text(answer(None, None)),
            "{\"status\":\"ok\",\"spec_version\":\"1.0-draft\",\"relay_conformance\":\"agentpair-relay/1\",\
             \"extensions\":[\"allowlist-version\",\"challenge-v1\",\"epoch\",\"invite\",\"live\",\"pair-wait\",\
             \"pair-if-match\",\"pull-page\",\"trim\"]}"
        );
        assert!(text(answer(Some(1), Some(2))).ends_with("\"artifact_quota_bytes\":1,\"artifact_retention_ms\":2}"));
    }
}
