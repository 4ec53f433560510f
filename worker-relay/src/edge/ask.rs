//! One request, with all that a route needs to judge it.

use std::net::IpAddr;
use std::rc::Rc;

use futures_util::StreamExt as _;
use worker::{Env, Request, Url};

use super::config::Config;
use super::failure::Failure;
use crate::clock::Now;
use crate::problem::Problem;

/// A request to this relay.
pub(crate) struct Ask {
    request: Request,
    url: Url,
    pub(crate) env: Env,
    pub(crate) config: Rc<Config>,
    pub(crate) now: Now,
}

impl Ask {
    pub(crate) fn new(request: Request, env: Env, now: Now) -> Result<Self, Failure> {
        let config = Config::of(&env)?;
        Ok(Self { url: request.url()?, request, env, config, now })
    }

    /// The method as it was sent: the `worker` crate turns unknown ones into GET.
    pub(crate) fn method(&self) -> String {
        self.request.inner().method()
    }

    /// The first value of a query parameter.
    pub(crate) fn query(&self, name: &str) -> Option<String> {
        self.url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.request.headers().get(name).ok().flatten()
    }

    pub(crate) fn wants_upgrade(&self) -> bool {
        self.header("upgrade").is_some_and(|value| value.eq_ignore_ascii_case("websocket"))
    }

    pub(crate) fn content_length(&self) -> Option<u64> {
        self.header("content-length")?.parse().ok()
    }

    /// The name under which the client reaches this relay, as challenges bind it.
    pub(crate) fn host(&self) -> String {
        let asked = match (self.url.host_str(), self.url.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (host, _) => host.unwrap_or_default().to_owned(),
        };
        match self.config.hosts.first() {
            Some(first) if !self.config.hosts.contains(&asked) => first.clone(),
            _ => asked,
        }
    }

    /// The client's address as a brake's key; an IPv6 client is its /64, of which it has as many addresses as it likes.
    pub(crate) fn address(&self) -> String {
        let text = self.header("cf-connecting-ip").unwrap_or_default();
        match text.parse() {
            Ok(IpAddr::V6(address)) => format!("{:x}/64", u128::from(address) >> 64),
            _ => text,
        }
    }

    /// The bearer token.
    pub(crate) fn bearer(&self) -> Option<String> {
        self.header("authorization")?.strip_prefix("Bearer ").map(str::to_owned)
    }

    /// The body, up to `cap` bytes: first by what the request says of itself, then by what comes.
    pub(crate) async fn body(&mut self, cap: u64, too_large: Problem) -> Result<Vec<u8>, Failure> {
        if self.content_length().is_some_and(|length| length > cap) {
            return Err(too_large.into());
        }
        if self.request.inner().body().is_none() {
            return Ok(Vec::new());
        }
        let mut stream = self.request.stream()?;
        let mut body = Vec::new();
        while let Some(chunk) = stream.next().await {
            body.extend_from_slice(&chunk?);
            if body.len() as u64 > cap {
                return Err(too_large.into());
            }
        }
        Ok(body)
    }

    /// The body as the platform's stream, for bytes that only pass through.
    pub(crate) fn raw_body(&self) -> Option<worker::web_sys::ReadableStream> {
        self.request.inner().body()
    }
}
