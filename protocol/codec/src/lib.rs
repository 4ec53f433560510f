//! The loops that go over every byte of an envelope. A crate of their own because it is compiled for speed, while the
//! rest of the protocol is compiled for size: inside of that, a large envelope takes twice as long.

pub mod aead;
pub mod base64url;
pub mod json;
