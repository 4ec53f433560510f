//! From route and method to what answers it.

use super::path::Route;
use super::{allowlist, artifact, health, inbox, invite, pair};
use crate::edge::{Ask, Failure, Reply, preflight};
use crate::problem::Problem;

/// Answers a request. An unknown path is 404, a known one with another method 405.
pub(crate) async fn route(route: Option<Route>, ask: Ask) -> Result<Reply, Failure> {
    let method = ask.method();
    if method == "OPTIONS" {
        return Ok(preflight().into());
    }
    let route = route.ok_or(Problem::NOT_FOUND)?;
    match (method.as_str(), &route) {
        ("GET" | "HEAD", Route::Health) => {
            Ok(health::answer(ask.config.artifact_quota_bytes, ask.config.artifact_retention_ms).into())
        }
        ("PUT", Route::Allowlist(id)) => allowlist::put(ask, id).await,
        ("POST", Route::Inbox(id)) => inbox::post(ask, id).await,
        ("GET", Route::Inbox(id)) => inbox::pull(&ask, id).await,
        ("DELETE", Route::Inbox(id)) => inbox::trim(&ask, id).await,
        ("DELETE", Route::Purge(id)) => inbox::purge(&ask, id).await,
        ("GET", Route::Live(id)) => inbox::live(&ask, id).await,
        ("POST", Route::Pair(session)) => pair::post(ask, session).await,
        ("GET", Route::Pair(session)) => pair::get(&ask, session).await,
        ("PUT", Route::Invite(name)) => invite::publish(ask, name).await,
        ("GET", Route::Invite(name)) => invite::status(&ask, name).await,
        ("DELETE", Route::Invite(name)) => invite::withdraw(&ask, name).await,
        ("POST", Route::Claim(name)) => invite::claim(ask, name).await,
        ("PUT", Route::Artifact(hash)) => artifact::put(&ask, hash).await,
        ("GET", Route::Artifact(hash)) => artifact::get(&ask, hash).await,
        #[cfg(feature = "test-panic")]
        ("POST", Route::Panic(id)) => super::panic::post(&ask, id).await,
        _ => Err(Problem::METHOD_NOT_ALLOWED.into()),
    }
}
