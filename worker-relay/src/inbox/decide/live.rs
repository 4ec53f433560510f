//! One live socket: what it was sent, what it acknowledged, what it may say.

use agentpair_protocol::json;
use serde::{Deserialize, Serialize};

/// The state of one socket. It is kept with the socket, so it survives hibernation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Socket {
    /// Unix milliseconds when it was opened; with `serial` it orders the sockets of an inbox.
    pub opened_at: u64,
    /// Tells apart sockets that were opened in one millisecond.
    pub serial: u32,
    /// The last row acknowledged.
    pub acked: u64,
    /// The last row sent.
    pub sent: u64,
}

/// The frame is not `{"ack": row id}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadFrame;

#[derive(Deserialize)]
struct Ack {
    ack: u64,
}

impl Socket {
    /// A socket whose client has everything up to `since`.
    #[must_use]
    pub fn open(opened_at: u64, serial: u32, since: u64) -> Self {
        Self { opened_at, serial, acked: since, sent: since }
    }

    /// After rows up to `through` went out.
    #[must_use]
    pub fn sent_through(self, through: u64) -> Self {
        Self { sent: self.sent.max(through), ..self }
    }

    /// After the client's frame: the new state, and the row up to which everything was durably processed.
    ///
    /// Only what was sent on this socket can be acknowledged, so that a wrong number cannot delete unseen mail.
    ///
    /// # Errors
    /// [`BadFrame`].
    pub fn acknowledged(self, frame: &str) -> Result<Self, BadFrame> {
        let Ack { ack } = json::from_object(frame.as_bytes()).map_err(|_| BadFrame)?;
        Ok(Self { acked: self.acked.max(ack.min(self.sent)), ..self })
    }
}

/// The sockets to close so that one more may open: the oldest, because a dead one is never the newest.
#[must_use]
pub fn surplus(sockets: &[Socket], max: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sockets.len()).collect();
    order.sort_by_key(|index| sockets.get(*index).map(|s| (s.opened_at, s.serial)));
    let keep = usize::try_from(max.saturating_sub(1)).unwrap_or(usize::MAX);
    order.truncate(sockets.len().saturating_sub(keep));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ack_moves_forward_and_never_past_what_was_sent() {
        let socket = Socket::open(0, 0, 3).sent_through(10);
        let acked = |frame: &str| socket.acknowledged(frame).map(|s| s.acked);
        assert_eq!(acked("{\"ack\":7}"), Ok(7));
        assert_eq!(acked("{\"ack\":10}"), Ok(10));
        assert_eq!(acked("{\"ack\":11}"), Ok(10));
        assert_eq!(acked("{\"ack\":2}"), Ok(3));
        for frame in
            ["", "ack", "{}", "[7]", "{\"ack\":-1}", "{\"ack\":1.5}", "{\"ack\":\"7\"}", "{\"ack\":7,\"ack\":8}"]
        {
            assert_eq!(acked(frame), Err(BadFrame), "{frame}");
        }
    }

    #[test]
    fn the_oldest_sockets_make_room() {
        let sockets: Vec<Socket> = [5, 3, 3, 9].iter().zip(0..).map(|(at, n)| Socket::open(*at, n, 0)).collect();
        assert_eq!(surplus(&sockets, 6), [] as [usize; 0]);
        assert_eq!(surplus(&sockets, 5), [] as [usize; 0]);
        assert_eq!(surplus(&sockets, 4), [1]);
        assert_eq!(surplus(&sockets, 3), [1, 2]);
    }
}
