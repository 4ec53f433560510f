//! From an answer to the runtime's response, and the headers that every response has.

use worker::js_sys::Date;
use worker::wasm_bindgen::JsValue;
use worker::{Headers, Response, ResponseBody, ResponseBuilder, Result};

use super::failure::Failure;
use crate::answer::Answer;
use crate::clock::Now;
use crate::problem::Problem;

/// How an object tells the Worker which code to log. It does not leave the Worker.
const CODE: &str = "x-object-code";

/// What a route ends with.
pub(crate) enum Reply {
    /// Decided here.
    Answer(Answer),
    /// Decided by an object, or bytes that pass through.
    Through(Response),
}

impl Reply {
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::Answer(answer) => answer.status,
            Self::Through(response) => response.status_code(),
        }
    }
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

impl From<Response> for Reply {
    fn from(response: Response) -> Self {
        Self::Through(response)
    }
}

/// The response of an object. A fault is logged here and answered as `internal`.
pub(crate) fn from_object(result: Result<Answer, Failure>) -> Result<Response> {
    let answer = result.unwrap_or_else(explain);
    let code = answer.code;
    let response = build(answer)?;
    if let Some(code) = code {
        response.headers().set(CODE, code)?;
    }
    Ok(response)
}

/// The answer to a failure.
pub(crate) fn explain(failure: Failure) -> Answer {
    match failure {
        Failure::Refused(problem) => problem.into(),
        Failure::Broken(error) => {
            worker::console_error!("broken: {error}");
            Problem::INTERNAL.into()
        }
    }
}

/// The response that leaves the relay, and the code to log.
pub(crate) fn finish(reply: Reply, now: Now) -> Result<(Response, Option<String>)> {
    let (response, code) = match reply {
        Reply::Answer(answer) => {
            let code = answer.code.map(str::to_owned);
            (build(answer)?, code)
        }
        // An upgraded connection takes no more headers.
        Reply::Through(response) if response.status_code() == 101 => return Ok((response, None)),
        Reply::Through(response) => {
            let code = response.headers().get(CODE)?;
            (rebuilt(response)?, code)
        }
    };
    let headers = response.headers();
    headers.delete(CODE)?;
    headers.set("date", &String::from(Date::new(&JsValue::from_f64(now.ms as f64)).to_utc_string()))?;
    headers.set("cache-control", "no-store")?;
    headers.set("x-content-type-options", "nosniff")?;
    headers.set("access-control-allow-origin", "*")?;
    headers.set("access-control-expose-headers", "ETag, Retry-After, Date, x-agentpair-challenge")?;
    Ok((response, code))
}

/// The answer to a browser that asks before it asks.
pub(crate) fn preflight() -> Answer {
    Answer::no_content()
        .with("access-control-allow-methods", "GET, POST, PUT, DELETE".to_owned())
        .with(
            "access-control-allow-headers",
            "authorization, content-type, if-match, x-agent-id, x-artifact-sig".to_owned(),
        )
        .with("access-control-max-age", "86400".to_owned())
}

fn build(answer: Answer) -> Result<Response> {
    let headers = Headers::new();
    for (name, value) in &answer.headers {
        headers.set(name, value)?;
    }
    let body = answer.body.map_or(ResponseBody::Empty, ResponseBody::Body);
    Ok(ResponseBuilder::new().with_status(answer.status).with_headers(headers).body(body))
}

/// The same response with headers that can be changed.
fn rebuilt(response: Response) -> Result<Response> {
    let headers = Headers::new();
    for (name, value) in response.headers().entries() {
        headers.append(&name, &value)?;
    }
    let status = response.status_code();
    let body = response.body().clone();
    Ok(ResponseBuilder::new().with_status(status).with_headers(headers).body(body))
}
