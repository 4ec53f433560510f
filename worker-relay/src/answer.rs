//! An HTTP answer as data, so that what is said is decided apart from the runtime that says it.

use serde::Serialize;

use crate::problem::Problem;

/// Status, headers and body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Header names and values, without those that every answer carries.
    pub headers: Vec<(&'static str, String)>,
    /// The body; `None` for statuses that have none.
    pub body: Option<Vec<u8>>,
    /// The `error` of a refusal, for the log.
    pub code: Option<&'static str>,
}

impl Answer {
    /// 204.
    #[must_use]
    pub fn no_content() -> Self {
        Self { status: 204, headers: Vec::new(), body: None, code: None }
    }

    /// 304 for the representation that the caller already has.
    #[must_use]
    pub fn not_modified(etag: &str) -> Self {
        Self { status: 304, headers: vec![("etag", quoted(etag))], body: None, code: None }
    }

    /// Bytes that are JSON already.
    #[must_use]
    pub fn json_text(status: u16, body: Vec<u8>) -> Self {
        Self { status, headers: vec![("content-type", "application/json".to_owned())], body: Some(body), code: None }
    }

    /// A value as JSON.
    #[must_use]
    pub fn json(status: u16, value: &impl Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(body) => Self::json_text(status, body),
            // Only a map with keys that are no strings fails, and no answer has one.
            Err(_) => Problem::INTERNAL.into(),
        }
    }

    /// One more header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The entity tag header.
    #[must_use]
    pub fn with_etag(self, etag: &str) -> Self {
        self.with("etag", quoted(etag))
    }
}

impl From<Problem> for Answer {
    fn from(problem: Problem) -> Self {
        let body = format!("{{\"error\":\"{}\"}}", problem.code).into_bytes();
        let mut answer = Self::json_text(problem.status, body);
        answer.code = Some(problem.code);
        match problem.retry_after_s {
            Some(seconds) => answer.with("retry-after", seconds.to_string()),
            None => answer,
        }
    }
}

impl From<Result<Answer, Problem>> for Answer {
    fn from(result: Result<Self, Problem>) -> Self {
        result.unwrap_or_else(Self::from)
    }
}

fn quoted(etag: &str) -> String {
    format!("\"{etag}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_one_key_of_json() {
        for problem in Problem::ALL {
            let answer = Answer::from(*problem);
            let body: serde_json::Value = serde_json::from_slice(answer.body.as_deref().unwrap()).unwrap();
            assert_eq!(body, serde_json::json!({"error": problem.code}));
            assert_eq!(answer.code, Some(problem.code));
        }
        let full = Answer::from(Problem::INBOX_FULL);
        assert!(full.headers.contains(&("retry-after", "60".to_owned())));
    }
}
