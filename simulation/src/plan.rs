//! What one run is made of: everything that a seed decides, and what shrinking takes away from it.

use std::collections::BTreeSet;

use agentpair_protocol::limits::{HOUR_MS, MINUTE_MS};

use crate::dice::Dice;

/// The kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// A request never arrives.
    DropRequest,
    /// An answer never arrives: the relay has acted all the same.
    DropAnswer,
    /// A request, an answer or a frame takes long: beyond the time limit, too.
    Delay,
    /// A request or a frame arrives twice.
    Double,
    /// A frame overtakes others.
    Reorder,
    /// A bit of a body or a frame is flipped.
    Corrupt,
    /// A host dies between two effects.
    Crash,
    /// A host's clock jumps.
    Clock,
    /// A stream ends; the host notices at some time.
    Cut,
    /// The relay stops, and starts again.
    RelayRestart,
    /// The relay loses its disk.
    RelayLoss,
    /// The relay answers what it likes.
    Lie,
    /// The relay delivers an old envelope again.
    Replay,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::DropRequest,
        Self::DropAnswer,
        Self::Delay,
        Self::Double,
        Self::Reorder,
        Self::Corrupt,
        Self::Crash,
        Self::Clock,
        Self::Cut,
        Self::RelayRestart,
        Self::RelayLoss,
        Self::Lie,
        Self::Replay,
    ];

    /// Its stream of draws.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DropRequest => "drop request",
            Self::DropAnswer => "drop answer",
            Self::Delay => "delay",
            Self::Double => "double",
            Self::Reorder => "reorder",
            Self::Corrupt => "corrupt",
            Self::Crash => "crash",
            Self::Clock => "clock",
            Self::Cut => "cut",
            Self::RelayRestart => "relay restart",
            Self::RelayLoss => "relay loss",
            Self::Lie => "lie",
            Self::Replay => "replay",
        }
    }

    /// Whether words may be lost by this although the relay took them: transport security is gone, or the relay is
    /// hostile.
    #[must_use]
    pub fn forges(self) -> bool {
        matches!(self, Self::Corrupt | Self::Lie | Self::Replay)
    }

    /// Whether only a hostile relay, or a broken one, does this.
    #[must_use]
    pub fn is_hostile(self) -> bool {
        matches!(self, Self::Lie | Self::Replay)
    }
}

/// A way to break a host on purpose, to see that the checks would notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sabotage {
    /// The disk forgets every so many-th transaction's records.
    ForgetfulDisk,
    /// A restarted host finds the records of some time before.
    OldDisk,
    /// The host shows each message twice.
    DoubledFeed,
}

/// A way of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Leg {
    /// From a host to the relay.
    Request,
    /// And back.
    Answer,
    /// No message: an effect that the host is about to carry out.
    Effect,
}

/// What becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blow {
    /// It never arrives.
    Drop,
    /// It arrives twice.
    Double,
    /// It takes this long, milliseconds.
    Delay(u64),
    /// The relay answers so, without doing anything.
    Refuse(u16, &'static str),
    /// The host dies before it.
    Crash,
}

/// One fault at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strike {
    /// The host.
    pub host: usize,
    /// What is struck.
    pub leg: Leg,
    /// Which one of its kind, from 1.
    pub nth: u32,
    /// What becomes of it.
    pub blow: Blow,
}

/// One run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Where everything is drawn from.
    pub seed: u64,
    /// Number of hosts.
    pub hosts: usize,
    /// What people do, in all.
    pub acts: u32,
    /// Longest pause between two acts.
    pub pause_ms: u64,
    /// Whether the relay knows live streams.
    pub has_streams: bool,
    /// Whether the relay's room is scarce.
    pub is_tight: bool,
    /// Chances in a thousand, for each kind.
    pub chances: Vec<(Fault, u64)>,
    /// Faults that are left out, by their number in the run.
    pub muted: BTreeSet<u32>,
    /// Faults at chosen places.
    pub strikes: Vec<Strike>,
    /// Something broken on purpose.
    pub sabotage: Option<Sabotage>,
}

impl Plan {
    /// What the seed says.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        let mut dice = Dice::new(seed, "plan");
        let is_hostile = dice.permille(250);
        // A quarter of the kinds, at a rate of their own: faults of one kind at a high rate find other things
        // than all kinds at a low one.
        let mut chances = Vec::new();
        for fault in Fault::ALL {
            let is_on = dice.permille(400) && (is_hostile || !fault.is_hostile());
            let chance = match fault {
                Fault::RelayLoss => dice.between(1, 15),
                Fault::RelayRestart | Fault::Clock => dice.between(5, 60),
                Fault::Crash => dice.between(1, 40),
                _ => dice.between(5, 250),
            };
            if is_on {
                chances.push((fault, chance));
            }
        }
        Self {
            seed,
            hosts: usize::try_from(2 + dice.span(2)).unwrap_or(2),
            acts: u32::try_from(dice.between(20, 90)).unwrap_or(40),
            pause_ms: *dice.pick(&[2_000, 20_000, 5 * MINUTE_MS, HOUR_MS]).unwrap_or(&20_000),
            has_streams: dice.permille(900),
            is_tight: dice.permille(150),
            chances,
            muted: BTreeSet::new(),
            strikes: Vec::new(),
            sabotage: None,
        }
    }

    /// A world in which nothing goes wrong but what is asked for.
    #[must_use]
    pub fn calm(hosts: usize, strikes: Vec<Strike>) -> Self {
        let plan = Self::of(0);
        Self { hosts, acts: 0, has_streams: true, is_tight: false, chances: Vec::new(), strikes, ..plan }
    }

    /// The chance of a fault.
    #[must_use]
    pub fn chance(&self, fault: Fault) -> u64 {
        self.chances.iter().find(|(kind, _)| *kind == fault).map_or(0, |(_, chance)| *chance)
    }

    /// Whether something is forged in this run.
    #[must_use]
    pub fn forges(&self) -> bool {
        self.chances.iter().any(|(kind, _)| kind.forges())
    }
}

/// When a run begins: an hour before New Year 2027, so that a date turns in it.
pub const BEGIN_MS: u64 = 1_798_758_000_000;
