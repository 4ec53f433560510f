//! Why a request got no ordinary answer.

use crate::frame::BadCall;
use crate::problem::Problem;

/// Refused, or broken.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The caller is told what.
    Refused(Problem),
    /// The log is told; the caller learns `internal`.
    Broken(worker::Error),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Refused(problem)
    }
}

impl From<worker::Error> for Failure {
    fn from(error: worker::Error) -> Self {
        Self::Broken(error)
    }
}

impl From<BadCall> for Failure {
    fn from(BadCall: BadCall) -> Self {
        Self::Broken(worker::Error::from("a call between Worker and object is malformed"))
    }
}

impl From<getrandom::Error> for Failure {
    fn from(error: getrandom::Error) -> Self {
        Self::Broken(worker::Error::from(error.to_string()))
    }
}
