//! The Worker's entry.

use worker::{Context, Env, Request, Response, Result, event};

use super::ask::Ask;
use super::drain::drain;
use super::log::{Line, size_bucket};
use super::reply::{Reply, explain, finish};
use super::time::now;
use crate::routes::path::Route;
use crate::routes::route;

/// Answers one request.
#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> Result<Response> {
    let started = now();
    let method = request.inner().method();
    let found = Route::of(&request.path());
    let label = found.as_ref().map_or("none", Route::label);
    let length = request.headers().get("content-length")?.and_then(|text| text.parse().ok());

    // Another handle to the same request: its body may be left over.
    let sent = Clone::clone(request.inner());

    let reply = match Ask::new(request, env, started) {
        Ok(ask) => route(found, ask).await,
        Err(failure) => Err(failure),
    };
    drain(&sent, length).await;
    let (response, code) = finish(reply.unwrap_or_else(|failure| Reply::Answer(explain(failure))), now())?;

    Line {
        route: label,
        // A method is free text; only known ones are worth a log line's word.
        method: ["GET", "POST", "PUT", "DELETE", "OPTIONS"]
            .into_iter()
            .find(|known| *known == method)
            .unwrap_or("other"),
        status: response.status_code(),
        code: code.as_deref(),
        size: size_bucket(length),
        ms: now().ms.saturating_sub(started.ms),
    }
    .print();
    Ok(response)
}
