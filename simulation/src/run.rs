//! One run, from the first start to the last check.

use agentpair_protocol::limits::{HOUR_MS, MINUTE_MS};

use crate::checks;
use crate::people;
use crate::plan::Plan;
use crate::world::{Event, Outcome, World};

/// Longest time that people are at it.
const BUSY_MS: u64 = 30 * HOUR_MS;
/// Calls of a bond in a quiet hour: live streams need none, but an hour is also when things are looked after.
const QUIET_CALLS: u64 = 40;
/// Polling costs two calls every fifteen seconds, and some to trim.
const POLLING_CALLS: u64 = 800;

/// How a run went.
#[derive(Debug)]
pub struct Report {
    /// The broken promise, if one was.
    pub broken: Option<String>,
    /// Faults that fired.
    pub faults: u32,
    /// Messages that were sent, and that arrived.
    pub messages: (usize, usize),
    /// Bonds at the end, of all hosts.
    pub bonds: usize,
    /// Sessions at the end that both ratified, of all hosts.
    pub agreed: usize,
    /// What happened.
    pub trace: Vec<String>,
}

/// Runs a plan.
#[must_use]
pub fn run(plan: Plan, traced: bool) -> Report {
    let mut world = World::new(plan, traced);
    let lived = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| live(&mut world)));
    let broken = match lived {
        Ok(outcome) => outcome.err(),
        Err(_) => Some("a host panicked".to_owned()),
    };
    let engines = || world.machines.iter().filter_map(|machine| machine.engine.as_ref());
    Report {
        broken,
        faults: world.faults.fired,
        messages: (world.checks.sent.len(), world.checks.sent.iter().filter(|sent| sent.has_arrived).count()),
        bonds: engines().map(|engine| engine.bonds().len()).sum(),
        agreed: engines().flat_map(|engine| engine.sessions()).filter(|session| session.status == "agreed").count(),
        trace: world.trace.lines().to_vec(),
    }
}

fn live(world: &mut World) -> Outcome {
    world.begin();
    world.people.acts_left = world.plan.acts;
    world.at(world.now + 1_000, Event::Act);
    let begin = world.now;
    while world.people.acts_left > 0 && world.now < begin + BUSY_MS {
        world.run_until(world.now + MINUTE_MS)?;
    }
    world.heal()?;
    settle(world)?;
    let before = world.calls;
    world.run_until(world.now + HOUR_MS)?;
    quiet(world, world.calls - before)?;
    checks::finale(world)
}

/// A day and a bit in which nothing goes wrong, and people attend to what waits for them. By night the machines sleep.
fn settle(world: &mut World) -> Outcome {
    for pause in [10 * MINUTE_MS, 10 * MINUTE_MS, 70 * MINUTE_MS, 70 * MINUTE_MS] {
        awake(world, pause)?;
    }
    for host in 0..world.machines.len() {
        world.switch_off(host);
    }
    world.run_until(world.now + 22 * HOUR_MS)?;
    for host in 0..world.machines.len() {
        world.start(host)?;
    }
    for pause in [10 * MINUTE_MS, 70 * MINUTE_MS, 70 * MINUTE_MS] {
        awake(world, pause)?;
    }
    people::decide_all(world)?;
    world.run_until(world.now + 10 * MINUTE_MS)
}

fn awake(world: &mut World, pause: u64) -> Outcome {
    people::decide_all(world)?;
    people::ping(world)?;
    world.run_until(world.now + pause)
}

fn quiet(world: &World, calls: u64) -> Outcome {
    let engines = world.machines.iter().filter_map(|machine| machine.engine.as_ref());
    let bonds: u64 = engines.map(|engine| engine.bonds().len() as u64).sum();
    let most = bonds * if world.plan.has_streams { QUIET_CALLS } else { POLLING_CALLS };
    if calls <= most { Ok(()) } else { Err(format!("{calls} calls in a quiet hour with {bonds} bonds")) }
}
