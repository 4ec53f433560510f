//! The run: one queue of events in virtual time, and everything that they lead to.

mod network;

use std::collections::BTreeMap;

use agentpair_protocol::engine::{Command, Effect, Input, Reply};
use agentpair_protocol::error::Failure;
use agentpair_relay::answer::Answer;
use agentpair_relay::clock::Now;

use self::network::socket_name;
use crate::checks::Checks;
use crate::dice::Dice;
use crate::faults::Faults;
use crate::machine::Machine;
use crate::people::People;
use crate::plan::{BEGIN_MS, Fault, Leg, Plan, Sabotage};
use crate::relay::{Relay, Request};
use crate::trace::Trace;

/// What a run may end with: a broken promise, in words.
pub type Outcome<T = ()> = Result<T, String>;

/// One life of one host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Life {
    /// The host.
    pub host: usize,
    /// Its boot.
    pub boot: u32,
}

/// What happens at an instant.
#[derive(Debug)]
pub(crate) enum Event {
    /// A request arrives at the relay. An echo is one whose answer nobody waits for.
    Request { life: Life, call: String, request: Request, is_echo: bool, wants_bytes: bool },
    /// An answer arrives; none is a failure of the network.
    Answer { life: Life, call: String, answer: Option<Answer>, wants_bytes: bool },
    /// A held request has waited long enough.
    Release(u64),
    /// A stream is asked for.
    Open { life: Life, stream: String, path: String },
    /// A stream is open, for the host.
    Opened { life: Life, stream: String },
    /// A frame arrives at the host.
    Frame { life: Life, stream: String, text: String },
    /// A frame arrives at the relay.
    Upstream { life: Life, stream: String, text: String },
    /// The host notices that a stream has ended.
    Closed { life: Life, stream: String },
    /// The engine wants to be woken.
    Wake { life: Life, at: u64 },
    /// A host is switched on.
    Start(usize),
    /// The relay is started again.
    RelayUp,
    /// Somebody does something.
    Act,
    /// A human looks at what waits.
    Look(usize),
    /// An agent goes on with a session.
    Work(usize),
    /// A human tells somebody a code.
    Tell(usize),
}

struct Held {
    number: u64,
    life: Life,
    call: String,
    request: Request,
}

/// Everything.
pub struct World {
    pub(crate) plan: Plan,
    pub(crate) now: u64,
    pub(crate) machines: Vec<Machine>,
    pub(crate) relay: Relay,
    pub(crate) faults: Faults,
    pub(crate) people: People,
    pub(crate) checks: Checks,
    pub(crate) trace: Trace,
    queue: BTreeMap<(u64, u64), Event>,
    serial: u64,
    held: Vec<Held>,
    relay_is_up: bool,
    network: Dice,
    /// When the last frame of each stream arrives: a stream keeps its order, unless a fault breaks it.
    tails: BTreeMap<String, u64>,
    /// Calls made, for the check that a healthy world is quiet.
    pub(crate) calls: u64,
}

impl World {
    /// A world at its beginning.
    #[must_use]
    pub fn new(plan: Plan, traced: bool) -> Self {
        let mut relay = Relay::default();
        relay.has_streams = plan.has_streams;
        if plan.is_tight {
            relay.limits.inbox_rows = 12;
            relay.limits.sender_rows = 6;
            relay.limits.pull_rows = 3;
            relay.limits.live_frames = 2;
        }
        let machines = (0..plan.hosts).map(|n| Machine::new(plan.seed, n)).collect();
        Self {
            now: BEGIN_MS,
            machines,
            relay,
            faults: Faults::new(&plan),
            people: People::new(plan.seed, plan.hosts),
            checks: Checks::new(&plan),
            trace: Trace::new(traced),
            queue: BTreeMap::new(),
            serial: 0,
            held: Vec::new(),
            relay_is_up: true,
            network: Dice::new(plan.seed, "network"),
            tails: BTreeMap::new(),
            calls: 0,
            plan,
        }
    }

    /// Every host is switched on.
    pub(crate) fn begin(&mut self) {
        for host in 0..self.machines.len() {
            self.at(self.now, Event::Start(host));
        }
    }

    pub(crate) fn at(&mut self, at: u64, event: Event) {
        self.serial += 1;
        self.queue.insert((at, self.serial), event);
    }

    /// People attend to a thing within minutes, mostly.
    pub(crate) fn soon(&mut self, event: Event) {
        let after = self.network.span(4 * 60_000);
        self.at(self.now + after, event);
    }

    pub(crate) fn note(&mut self, line: impl FnOnce() -> String) {
        self.trace.note(self.now, line);
    }

    fn clock(&self) -> Now {
        Now { ms: self.now }
    }

    fn life(&self, host: usize) -> Life {
        Life { host, boot: self.machines[host].boot }
    }

    fn lives(&self, life: Life) -> bool {
        let machine = &self.machines[life.host];
        machine.boot == life.boot && machine.engine.is_some()
    }

    /// Lets everything happen up to an instant.
    ///
    /// # Errors
    /// The first broken promise.
    pub fn run_until(&mut self, end: u64) -> Outcome {
        const EVENTS: u32 = 2_000_000;
        for _ in 0..EVENTS {
            match self.queue.first_entry() {
                Some(entry) if entry.key().0 <= end => {
                    let ((at, _), event) = entry.remove_entry();
                    self.now = self.now.max(at);
                    self.happen(event)?;
                }
                _ => {
                    self.now = self.now.max(end);
                    return Ok(());
                }
            }
        }
        Err("the world does not come to rest".to_owned())
    }

    fn happen(&mut self, event: Event) -> Outcome {
        match event {
            Event::Request { life, call, request, is_echo, wants_bytes } => {
                self.arrive(life, call, &request, is_echo, wants_bytes)
            }
            Event::Answer { life, call, answer, wants_bytes } => self.deliver(life, &call, answer, wants_bytes),
            Event::Release(number) => self.release(number),
            Event::Open { life, stream, path } => self.open_stream(life, &stream, &path),
            Event::Opened { life, stream } if self.lives(life) => self.input(life.host, Input::StreamOpened { stream }),
            Event::Frame { life, stream, text } if self.lives(life) => {
                self.input(life.host, Input::StreamFrame { stream, text })
            }
            Event::Closed { life, stream } if self.lives(life) => self.input(life.host, Input::StreamClosed { stream }),
            Event::Upstream { life, stream, text } => self.upstream(life, &stream, &text),
            Event::Wake { life, at } if self.lives(life) && self.machines[life.host].wake == at => {
                self.machines[life.host].wake = u64::MAX;
                self.input(life.host, Input::Tick)
            }
            Event::Start(host) => self.start(host),
            Event::RelayUp => {
                self.relay_is_up = true;
                self.note(|| "relay is up".to_owned());
                Ok(())
            }
            Event::Act => crate::people::act(self),
            Event::Look(host) => crate::people::look(self, host),
            Event::Work(host) => crate::people::work(self, host),
            Event::Tell(host) => crate::people::tell(self, host),
            Event::Opened { .. } | Event::Frame { .. } | Event::Closed { .. } | Event::Wake { .. } => Ok(()),
        }
    }

    // --- hosts

    /// Switches a host on, if it is off.
    pub(crate) fn start(&mut self, host: usize) -> Outcome {
        if self.machines[host].engine.is_some() {
            return Ok(());
        }
        self.note(|| format!("host {host} starts"));
        if self.plan.sabotage == Some(Sabotage::OldDisk) {
            self.machines[host].disk.go_back();
        }
        self.machines[host].start().map_err(|words| format!("host {host} {words}"))?;
        self.input(host, Input::Network { online: true })?;
        // Whatever happened before it was switched on is noticed.
        self.tick(host)?;
        // What was asked, and whose codes never reached the approval file.
        let Some(engine) = &self.machines[host].engine else { return Ok(()) };
        let codes = &self.machines[host].disk.codes;
        let lost: Vec<String> =
            engine.pendings().into_iter().map(|p| p.id).filter(|id| !codes.contains_key(id)).collect();
        for pending in lost {
            if self.machines[host].engine.is_some() {
                let _ = self.command(host, Command::Reissue { pending })?;
            }
        }
        Ok(())
    }

    /// Kills a host, and starts it some time later.
    fn kill(&mut self, host: usize) {
        self.switch_off(host);
        let pause = self.network.span(30 * 60_000);
        self.at(self.now + pause, Event::Start(host));
    }

    /// Switches a host off.
    pub(crate) fn switch_off(&mut self, host: usize) {
        self.note(|| format!("host {host} is off"));
        let life = self.life(host);
        self.machines[host].stop();
        let prefix = format!("{}/{}/", life.host, life.boot);
        let streams: Vec<String> = self.tails.keys().filter(|name| name.starts_with(&prefix)).cloned().collect();
        for name in streams {
            self.tails.remove(&name);
            self.relay.close_socket(&name);
        }
    }

    /// Hands over something that is not a command: it may not fail.
    pub(crate) fn input(&mut self, host: usize, input: Input) -> Outcome {
        let name = match &input {
            Input::Answer { call, status, .. } => format!("answer {call} {status}"),
            Input::NoAnswer { call, .. } => format!("no answer {call}"),
            Input::StreamFrame { stream, text } => format!("frame {stream} of {} bytes", text.len()),
            other => format!("{other:?}"),
        };
        self.note(|| format!("host {host} <- {name}"));
        match self.step(host, input)?.0 {
            Ok(_) => Ok(()),
            Err(failure) => Err(format!("host {host}: {name} fails: {failure:?}")),
        }
    }

    /// What an owner or an agent asks for. Also, whether it is on the disk.
    pub(crate) fn command(&mut self, host: usize, command: Command) -> Outcome<(Result<Reply, Failure>, bool)> {
        let name = format!("{command:?}");
        let (result, is_stored) = self.step(host, Input::Command { command })?;
        self.note(|| {
            let name: String = name.chars().take(240).collect();
            match &result {
                Ok(_) if is_stored => format!("host {host}: {name}"),
                Ok(_) => format!("host {host}: {name}: not stored"),
                Err(failure) => format!("host {host}: {name}: refused, {}", failure.code()),
            }
        });
        if let Err(failure) = &result
            && failure.blame() == "bug"
        {
            return Err(format!("host {host}: {name}: {failure:?}"));
        }
        Ok((result, is_stored))
    }

    fn step(&mut self, host: usize, input: Input) -> Outcome<(Result<Reply, Failure>, bool)> {
        let now = self.machines[host].time(self.now);
        let machine = &mut self.machines[host];
        let Some(engine) = machine.engine.as_mut() else { return Err(format!("host {host} is off")) };
        let result = engine.handle(now, machine.entropy.bytes(), input);
        let effects: Vec<Effect> = std::iter::from_fn(|| engine.poll()).collect();
        let mut is_stored = false;
        for effect in effects {
            if self.faults.strike(host, Leg::Effect).is_some() || self.faults.fires(Fault::Crash) {
                self.kill(host);
                return Ok((result, is_stored));
            }
            is_stored |= matches!(effect, Effect::Persist { .. });
            self.carry_out(host, effect)?;
        }
        Ok((result, is_stored))
    }

    fn carry_out(&mut self, host: usize, effect: Effect) -> Outcome {
        let life = self.life(host);
        match effect {
            Effect::Persist { records, entries } => {
                let disk = &mut self.machines[host].disk;
                disk.commits += 1;
                if self.plan.sabotage != Some(Sabotage::ForgetfulDisk) || !disk.commits.is_multiple_of(9) {
                    disk.write(records);
                }
                for entry in entries {
                    disk.append(&entry).map_err(|words| format!("host {host}: {words}"))?;
                    if self.plan.sabotage == Some(Sabotage::DoubledFeed) && entry.value.contains("\"message\"") {
                        let item = disk.feed.last().cloned();
                        disk.feed.extend(item);
                    }
                }
                Checks::on_persist(self, host)
            }
            Effect::Call { call, relay, method, path, headers, body, bytes, timeout_ms, wants_bytes, .. } => {
                if relay != crate::relay::URL {
                    return Err(format!("host {host} calls {relay}"));
                }
                self.calls += 1;
                self.note(|| format!("host {host} -> {call} {method} {}", path.split('?').next().unwrap_or_default()));
                self.machines[host].open.insert(call.clone());
                let body = bytes.or_else(|| body.map(String::into_bytes)).unwrap_or_default();
                self.send(life, call, Request { method, path, headers, body }, u64::from(timeout_ms), wants_bytes);
                Ok(())
            }
            Effect::OpenStream { stream, path, .. } => {
                self.calls += 1;
                self.note(|| format!("host {host} -> stream {stream}"));
                let latency = self.latency();
                self.at(self.now + latency, Event::Open { life, stream, path });
                Ok(())
            }
            Effect::StreamSend { stream, text } => {
                let latency = self.latency();
                self.at(self.now + latency, Event::Upstream { life, stream, text });
                Ok(())
            }
            Effect::CloseStream { stream } => {
                let name = socket_name(life, &stream);
                self.tails.remove(&name);
                self.relay.close_socket(&name);
                Ok(())
            }
            Effect::AskHuman { pending, approve_code, reject_code } => {
                self.machines[host].disk.codes.insert(pending.id, (approve_code, reject_code));
                self.soon(Event::Look(host));
                Ok(())
            }
            Effect::Withdraw { pending } => {
                self.machines[host].disk.codes.remove(&pending);
                Ok(())
            }
            Effect::Emit { .. } => Ok(()),
            Effect::WakeAt { at } => {
                let machine = &mut self.machines[host];
                machine.wake = at;
                let wait = at.saturating_sub(machine.time(self.now));
                self.at(self.now.saturating_add(wait), Event::Wake { life, at });
                Ok(())
            }
        }
    }

    /// From now on nothing goes wrong any more: clocks are set, everything is switched on.
    ///
    /// # Errors
    /// The first broken promise.
    pub fn heal(&mut self) -> Outcome {
        self.note(|| "all is well from here".to_owned());
        self.faults.switch_off();
        self.relay_is_up = true;
        for host in 0..self.machines.len() {
            self.machines[host].clock = 0;
            self.start(host)?;
            // A clock that was set is noticed like any other passing of time.
            self.tick(host)?;
        }
        Ok(())
    }
}
