//! The live sockets of an inbox. Their state is kept with each socket, so that the object may sleep.

use worker::{State, WebSocket};

use super::body::live_frame;
use super::decide::live::{Socket, surplus};
use super::decide::{Usage, page};
use super::store::Store;
use crate::clock::Now;
use crate::limits::Limits;

/// Sent to a socket that had to make room for a newer one.
const REPLACED: (u16, &str) = (4_008, "live_replaced");
/// Sent to a client that does not speak the protocol.
const BAD_FRAME: (u16, &str) = (1_008, "bad_frame");

/// Closes the oldest sockets so that one more may open.
pub(super) fn make_room(state: &State, limits: &Limits) -> worker::Result<()> {
    let open = state.get_websockets();
    let mut states = Vec::with_capacity(open.len());
    for socket in &open {
        // A socket without a state is one whose opening failed: as old as can be.
        states.push(attached(socket)?.unwrap_or_else(|| Socket::open(0, 0, 0)));
    }
    for index in surplus(&states, limits.live_sockets) {
        if let Some(socket) = open.get(index) {
            close(socket, REPLACED);
        }
    }
    Ok(())
}

/// Sends what fits to every socket.
pub(super) fn pump_all(state: &State, store: &Store, now: Now, limits: &Limits) {
    for socket in state.get_websockets() {
        // A socket that fails is the client's to open again; the envelope is stored all the same.
        if let Err(error) = pump(&socket, store, now, limits) {
            worker::console_warn!("live socket failed: {error}");
        }
    }
}

/// Sends what fits to one socket, in row order.
pub(super) fn pump(socket: &WebSocket, store: &Store, now: Now, limits: &Limits) -> worker::Result<()> {
    let Some(state) = attached(socket)? else { return Ok(()) };
    let out = if state.acked == state.sent { Usage::default() } else { store.out(state.acked, state.sent)? };
    if out.rows > 0 && !out.fits(limits.live_frames, limits.live_bytes) {
        return Ok(());
    }
    let next = store.next_rows(state.sent, None, limits.live_frames.saturating_sub(out.rows), now)?;
    let page = page::take(&next, out, limits.live_frames, limits.live_bytes);
    let Some(through) = page.through else { return Ok(()) };
    for row in store.wires(state.sent, through, None, now)? {
        if let Some(frame) = live_frame(&row) {
            socket.send_with_str(frame)?;
        }
    }
    attach(socket, &state.sent_through(through))
}

pub(super) fn attach(socket: &WebSocket, state: &Socket) -> worker::Result<()> {
    socket.serialize_attachment(state)
}

pub(super) fn attached(socket: &WebSocket) -> worker::Result<Option<Socket>> {
    socket.deserialize_attachment()
}

pub(super) fn refuse_frame(socket: &WebSocket) {
    close(socket, BAD_FRAME);
}

fn close(socket: &WebSocket, (code, reason): (u16, &str)) {
    // It fails only for a socket that is closing already.
    if let Err(error) = socket.close(Some(code), Some(reason)) {
        worker::console_warn!("socket not closed: {error}");
    }
}
