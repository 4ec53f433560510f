//! The decisions of an inbox, as functions of what it holds, what is asked, and the time.

pub mod allowlist;
pub mod artifact;
pub mod live;
pub mod page;
pub mod post;
mod usage;

pub use usage::Usage;
