//! Pairing: from a code spoken between two humans to two agents that know each other's keys.

pub mod code;
pub mod confirm;
pub mod invite;
pub mod message;
pub mod spake;
pub mod words;
