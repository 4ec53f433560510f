//! The network between hosts and the relay, with all that goes wrong on it.

use agentpair_protocol::engine::Input;
use agentpair_relay::answer::Answer;
use agentpair_relay::problem::Problem;

use super::{Event, Held, Life, Outcome, World};
use crate::dice::Dice;
use crate::plan::{Blow, Fault, Leg};
use crate::relay::{Request, Response};

impl World {
    pub(super) fn latency(&mut self) -> u64 {
        let usual = self.network.between(5, 120);
        if self.faults.fires(Fault::Delay) { usual + self.network.span(90_000) } else { usual }
    }

    pub(super) fn send(&mut self, life: Life, call: String, mut request: Request, timeout_ms: u64, wants_bytes: bool) {
        let no_answer = Event::Answer { life, call: call.clone(), answer: None, wants_bytes };
        self.at(self.now + timeout_ms, no_answer);
        let blow = self.faults.strike(life.host, Leg::Request);
        let late = if let Some(Blow::Delay(by)) = blow { by } else { 0 };
        match blow {
            Some(Blow::Drop) => return,
            Some(Blow::Double) => {
                let (request, call) = (request.clone(), call.clone());
                self.at(self.now + 300, Event::Request { life, call, request, is_echo: true, wants_bytes });
            }
            Some(Blow::Refuse(status, code)) => {
                self.at(self.now + 50, Event::Answer { life, call, answer: Some(refusal(status, code)), wants_bytes });
                return;
            }
            _ => {}
        }
        if self.faults.fires(Fault::DropRequest) {
            // Refused at once, or never heard of again.
            if self.network.permille(500) {
                let soon = self.latency();
                self.at(self.now + soon, Event::Answer { life, call, answer: None, wants_bytes });
            }
            return;
        }
        if self.faults.fires(Fault::Double) {
            let (latency, request, call) = (self.latency(), request.clone(), call.clone());
            self.at(self.now + latency, Event::Request { life, call, request, is_echo: true, wants_bytes });
        }
        if self.faults.fires(Fault::Corrupt) {
            flip(&mut self.network, &mut request.body);
        }
        let latency = self.latency() + late;
        self.at(self.now + latency, Event::Request { life, call, request, is_echo: false, wants_bytes });
    }

    pub(super) fn arrive(
        &mut self,
        life: Life,
        call: String,
        request: &Request,
        is_echo: bool,
        wants_bytes: bool,
    ) -> Outcome {
        if self.relay_is_up && self.faults.fires(Fault::RelayRestart) {
            self.stop_relay(false);
        }
        if self.relay_is_up && self.faults.fires(Fault::RelayLoss) {
            self.stop_relay(true);
        }
        if !self.relay_is_up {
            self.answer(life, call, None, is_echo, wants_bytes);
            return Ok(());
        }
        if self.faults.fires(Fault::Lie) {
            let lie = self.lie();
            self.note(|| format!("relay lies: {} to {call}", lie.status));
            self.answer(life, call, Some(lie), is_echo, wants_bytes);
            return Ok(());
        }
        match self.relay.handle(request, self.clock()) {
            Response::Now(answer) => self.answer(life, call, Some(answer), is_echo, wants_bytes),
            Response::Hold(_) if is_echo => {}
            Response::Hold(wait) => {
                self.serial += 1;
                let number = self.serial;
                self.held.push(Held { number, life, call, request: request.clone() });
                self.at(self.now + wait, Event::Release(number));
            }
        }
        self.wake_held();
        self.pump();
        Ok(())
    }

    fn answer(&mut self, life: Life, call: String, mut answer: Option<Answer>, is_echo: bool, wants_bytes: bool) {
        if is_echo || self.faults.fires(Fault::DropAnswer) {
            return;
        }
        let blow = self.faults.strike(life.host, Leg::Answer);
        let late = if let Some(Blow::Delay(by)) = blow { by } else { 0 };
        if blow == Some(Blow::Drop) {
            return;
        }
        if let Some(body) = answer.as_mut().and_then(|answer| answer.body.as_mut())
            && self.faults.fires(Fault::Corrupt)
        {
            flip(&mut self.network, body);
        }
        let latency = self.latency() + late;
        if blow == Some(Blow::Double) {
            let (call, answer) = (call.clone(), answer.clone());
            self.at(self.now + latency + 300, Event::Answer { life, call, answer, wants_bytes });
        }
        self.at(self.now + latency, Event::Answer { life, call, answer, wants_bytes });
    }

    pub(super) fn deliver(&mut self, life: Life, call: &str, answer: Option<Answer>, wants_bytes: bool) -> Outcome {
        if !self.lives(life) || !self.machines[life.host].open.remove(call) {
            return Ok(());
        }
        let call = call.to_owned();
        let input = match answer {
            None => Input::NoAnswer { call, reason: "nothing".to_owned() },
            Some(answer) => {
                let header = |name: &str| answer.headers.iter().find(|(key, _)| *key == name).map(|(_, v)| v.clone());
                let retry_after = header("retry-after").and_then(|text| text.parse().ok());
                let body = answer.body.unwrap_or_default();
                let is_bytes = wants_bytes && answer.status == 200;
                Input::Answer {
                    call,
                    status: answer.status,
                    retry_after,
                    date: Some(self.now),
                    bytes: is_bytes.then(|| body.clone()),
                    body: if is_bytes { String::new() } else { String::from_utf8_lossy(&body).into_owned() },
                }
            }
        };
        self.input(life.host, input)
    }

    /// Answers held requests for which something has changed.
    fn wake_held(&mut self) {
        for held in std::mem::take(&mut self.held) {
            match self.relay.handle(&held.request, self.clock()) {
                Response::Now(answer) => self.answer(held.life, held.call, Some(answer), false, false),
                Response::Hold(_) => self.held.push(held),
            }
        }
    }

    pub(super) fn release(&mut self, number: u64) -> Outcome {
        let Some(at) = self.held.iter().position(|held| held.number == number) else { return Ok(()) };
        let Held { life, call, mut request, .. } = self.held.remove(at);
        request.path = request.path.replace("wait=", "waited=");
        if let Response::Now(answer) = self.relay.handle(&request, self.clock()) {
            self.answer(life, call, Some(answer), false, false);
        }
        Ok(())
    }

    pub(super) fn open_stream(&mut self, life: Life, stream: &str, path: &str) -> Outcome {
        if !self.lives(life) {
            return Ok(());
        }
        let name = socket_name(life, stream);
        let opened =
            if self.relay_is_up { self.relay.open_socket(&name, path, self.clock()) } else { Err(Problem::INTERNAL) };
        let latency = self.latency();
        let stream = stream.to_owned();
        let Ok(displaced) = opened else {
            self.at(self.now + latency, Event::Closed { life, stream });
            return Ok(());
        };
        for name in displaced {
            self.close_later(&name);
        }
        self.at(self.now + latency, Event::Opened { life, stream });
        self.tails.insert(name.clone(), self.now + latency);
        let first = self.relay.first_frame(&name);
        self.frame(&name, first.unwrap_or_default());
        self.pump();
        Ok(())
    }

    pub(super) fn upstream(&mut self, life: Life, stream: &str, text: &str) -> Outcome {
        let name = socket_name(life, stream);
        if !self.tails.contains_key(&name) {
            return Ok(());
        }
        if !self.relay.socket_frame(&name, text) {
            self.relay.close_socket(&name);
            self.close_later(&name);
        }
        self.pump();
        Ok(())
    }

    /// Sends what is due on every stream.
    fn pump(&mut self) {
        if !self.relay_is_up {
            return;
        }
        for (name, texts) in self.relay.pump(self.clock()) {
            for text in texts {
                if self.faults.fires(Fault::Cut) {
                    self.relay.close_socket(&name);
                    self.close_later(&name);
                    break;
                }
                if self.faults.fires(Fault::Double) {
                    self.frame(&name, text.clone());
                }
                self.frame(&name, text);
            }
        }
    }

    fn frame(&mut self, name: &str, mut text: String) {
        let Some((life, stream)) = named(name) else { return };
        if self.faults.fires(Fault::Replay)
            && let Some(old) = self.network.pick(&self.faults.seen).cloned()
        {
            let rowid = self.network.span(1 << 40);
            let text = format!("{{\"rowid\":{rowid},\"envelope\":{old}}}");
            self.at(self.now + 1, Event::Frame { life, stream: stream.clone(), text });
        }
        self.faults.remember(&text);
        if self.faults.fires(Fault::Corrupt) {
            let mut bytes = text.into_bytes();
            flip(&mut self.network, &mut bytes);
            text = String::from_utf8_lossy(&bytes).into_owned();
        }
        let latency = self.latency();
        let tail = self.tails.get(name).copied().unwrap_or(0);
        let mut at = (self.now + latency).max(tail + 1);
        if self.faults.fires(Fault::Reorder) {
            at = self.now + latency + self.network.span(20_000);
        } else {
            self.tails.insert(name.to_owned(), at);
        }
        self.at(at, Event::Frame { life, stream, text });
    }

    /// The host notices at some time that a stream is gone.
    fn close_later(&mut self, name: &str) {
        self.tails.remove(name);
        if let Some((life, stream)) = named(name) {
            let notices = self.network.span(60_000);
            self.at(self.now + notices, Event::Closed { life, stream });
        }
    }

    // --- the relay

    fn stop_relay(&mut self, loses: bool) {
        self.note(|| if loses { "relay loses everything" } else { "relay stops" }.to_owned());
        let sockets = if loses { self.relay.lose_everything() } else { self.relay.restart(self.clock()) };
        self.checks.has_loss |= loses;
        for name in sockets {
            self.close_later(&name);
        }
        for Held { life, call, .. } in std::mem::take(&mut self.held) {
            self.answer(life, call, None, false, false);
        }
        self.relay_is_up = false;
        let pause = self.network.span(10 * 60_000);
        self.at(self.now + pause, Event::RelayUp);
    }

    fn lie(&mut self) -> Answer {
        const LIES: [(u16, &str); 12] = [
            (409, "invite_taken"),
            (409, "envelope_id_collision"),
            (409, "allowlist_stale"),
            (403, "recipient_not_allowed"),
            (404, "pair_not_found"),
            (410, "pair_session_lost"),
            (410, "invite_claimed"),
            (412, "pair_slot_changed"),
            (400, "envelope_expired"),
            (429, "inbox_full"),
            (500, "internal"),
            (204, ""),
        ];
        let (status, code) = *self.network.pick(&LIES).unwrap_or(&(500, "internal"));
        refusal(status, code)
    }
}

fn refusal(status: u16, code: &str) -> Answer {
    let answer = Answer::json_text(status, format!("{{\"error\":\"{code}\"}}").into_bytes());
    if status == 204 { Answer { body: None, ..answer } } else { answer }
}

pub(super) fn socket_name(life: Life, stream: &str) -> String {
    format!("{}/{}/{stream}", life.host, life.boot)
}

fn named(name: &str) -> Option<(Life, String)> {
    let mut parts = name.splitn(3, '/');
    let host = parts.next()?.parse().ok()?;
    let boot = parts.next()?.parse().ok()?;
    Some((Life { host, boot }, parts.next()?.to_owned()))
}

/// Flips one bit.
fn flip(dice: &mut Dice, bytes: &mut [u8]) {
    if !bytes.is_empty() {
        let at = usize::try_from(dice.below(bytes.len() as u64)).unwrap_or(0);
        bytes[at] ^= 1 << dice.below(8);
    }
}
