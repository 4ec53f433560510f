//! Whether a fault fires. Each that does has a number, so that a failing run can be repeated without it.

use crate::dice::Dice;
use crate::plan::{Blow, Fault, Leg, Plan, Strike};

/// Old envelopes that a relay may deliver again.
const SEEN: usize = 64;

/// All faults of a run.
#[derive(Debug)]
pub struct Faults {
    streams: Vec<(Fault, u64, Dice)>,
    muted: std::collections::BTreeSet<u32>,
    is_on: bool,
    strikes: Vec<Strike>,
    passed: std::collections::BTreeMap<(usize, Leg), u32>,
    /// How many have fired, the muted ones too.
    pub fired: u32,
    /// Envelopes that were seen on streams.
    pub seen: Vec<String>,
}

impl Faults {
    /// The faults of a plan.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        let streams =
            plan.chances.iter().map(|(fault, chance)| (*fault, *chance, Dice::new(plan.seed, fault.name()))).collect();
        Self {
            streams,
            muted: plan.muted.clone(),
            is_on: true,
            strikes: plan.strikes.clone(),
            passed: Default::default(),
            fired: 0,
            seen: Vec::new(),
        }
    }

    /// Whether this fault happens here and now.
    pub fn fires(&mut self, fault: Fault) -> bool {
        if !self.is_on {
            return false;
        }
        let Some((_, chance, dice)) = self.streams.iter_mut().find(|(kind, _, _)| *kind == fault) else {
            return false;
        };
        if !dice.permille(*chance) {
            return false;
        }
        self.fired += 1;
        !self.muted.contains(&self.fired)
    }

    /// What becomes of the next of its kind.
    pub fn strike(&mut self, host: usize, leg: Leg) -> Option<Blow> {
        let nth = self.passed.entry((host, leg)).or_default();
        *nth += 1;
        let nth = *nth;
        let strike = self.strikes.iter().find(|strike| (strike.host, strike.leg, strike.nth) == (host, leg, nth));
        strike.filter(|_| self.is_on).map(|strike| strike.blow)
    }

    /// How many of a kind there were.
    #[must_use]
    pub fn passed(&self, host: usize, leg: Leg) -> u32 {
        self.passed.get(&(host, leg)).copied().unwrap_or(0)
    }

    /// Whether faults happen at all.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// No fault happens from here on.
    pub fn switch_off(&mut self) {
        self.is_on = false;
    }

    /// Keeps the envelope of a frame.
    pub fn remember(&mut self, frame: &str) {
        if let Some((_, rest)) = frame.split_once("\"envelope\":")
            && let Some(envelope) = rest.strip_suffix('}')
            && self.seen.len() < SEEN
        {
            self.seen.push(envelope.to_owned());
        }
    }
}
