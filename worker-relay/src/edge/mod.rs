//! Where the relay meets the runtime: the request handler, variables, brakes, objects, responses, the log.

mod ask;
mod brake;
mod config;
mod drain;
mod failure;
mod handler;
mod log;
mod objects;
mod reply;
mod time;

pub(crate) use ask::Ask;
pub(crate) use brake::Brake;
pub(crate) use config::Config;
pub(crate) use failure::Failure;
pub(crate) use objects::{Class, LIVE_HEADER, open_live};
pub(crate) use reply::{Reply, from_object, preflight};
pub(crate) use time::{alarm_time, now};
