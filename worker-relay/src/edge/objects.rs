//! Asking the objects.

use serde::Serialize;
use worker::js_sys::Uint8Array;
use worker::{Env, Headers, Method, Request, RequestInit, Response, Stub};

use super::failure::Failure;
use crate::frame;
use crate::inbox::call::Live;

/// The header that carries what opens a live stream.
pub(crate) const LIVE_HEADER: &str = "x-live";

/// Only this Worker can reach an object, and an object looks at no URL.
const ANYWHERE: &str = "https://object/";

/// A class of objects.
#[derive(Clone, Copy)]
pub(crate) enum Class {
    Inbox,
    Pair,
    Invite,
}

impl Class {
    fn binding(self) -> &'static str {
        match self {
            Self::Inbox => "INBOX",
            Self::Pair => "PAIR_SESSION",
            Self::Invite => "INVITE",
        }
    }

    fn object(self, env: &Env, name: &str) -> Result<Stub, Failure> {
        Ok(env.durable_object(self.binding())?.get_by_name(name)?)
    }

    /// Sends a call, and the bytes it is about, to the object of that name.
    pub(crate) async fn ask(
        self,
        env: &Env,
        name: &str,
        call: &impl Serialize,
        bytes: &[u8],
    ) -> Result<Response, Failure> {
        let body = Uint8Array::from(frame::join(call, bytes)?.as_slice());
        let mut init = RequestInit::new();
        init.with_method(Method::Post).with_body(Some(body.into()));
        Ok(self.object(env, name)?.fetch_with_request(Request::new_with_init(ANYWHERE, &init)?).await?)
    }
}

/// Opens a live stream at an inbox.
pub(crate) async fn open_live(env: &Env, agent_id: &str, live: &Live) -> Result<Response, Failure> {
    let headers = Headers::new();
    headers.set("upgrade", "websocket")?;
    headers.set(LIVE_HEADER, &serde_json::to_string(live).map_err(worker::Error::from)?)?;
    let mut init = RequestInit::new();
    init.with_method(Method::Get).with_headers(headers);
    Ok(Class::Inbox.object(env, agent_id)?.fetch_with_request(Request::new_with_init(ANYWHERE, &init)?).await?)
}
