//! One host: an engine, the disk that outlives it, the approval files, and a clock of its own.

use std::collections::{BTreeMap, BTreeSet};

use agentpair_protocol::audit::AuditRecord;
use agentpair_protocol::engine::{Engine, FeedItem, LogEntry, Record};

use crate::dice::Dice;

/// What is durable.
#[derive(Debug, Default)]
pub struct Disk {
    /// The engine's records.
    pub records: BTreeMap<String, String>,
    /// The feed.
    pub feed: Vec<FeedItem>,
    /// The audit log.
    pub audit: Vec<AuditRecord>,
    /// Codes of the approval files, by pending item.
    pub codes: BTreeMap<String, (String, String)>,
    /// Transactions so far.
    pub commits: u64,
    /// The records as they were some transactions ago.
    backup: BTreeMap<String, String>,
}

impl Disk {
    /// Loses the last few transactions' records, without anybody noticing.
    pub fn go_back(&mut self) {
        self.records.clone_from(&self.backup);
    }

    /// Writes one transaction's records.
    pub fn write(&mut self, records: Vec<Record>) {
        if self.commits.is_multiple_of(8) {
            self.backup.clone_from(&self.records);
        }
        for Record { key, value } in records {
            match value {
                Some(value) => self.records.insert(key, value),
                None => self.records.remove(&key),
            };
        }
    }

    /// Appends to a log. `Err` for an entry that is out of place.
    ///
    /// # Errors
    /// In words.
    pub fn append(&mut self, entry: &LogEntry) -> Result<(), String> {
        use agentpair_protocol::engine::Log;
        let last = match entry.log {
            Log::Feed => {
                self.feed.push(FeedItem::parse(&entry.value).map_err(|bug| format!("feed: {bug:?}"))?);
                self.feed.len()
            }
            Log::Audit => {
                self.audit.push(AuditRecord::parse(&entry.value).map_err(|bug| format!("audit: {bug:?}"))?);
                self.audit.len()
            }
        };
        if entry.n == last as u64 { Ok(()) } else { Err(format!("{:?} entry {} is number {last}", entry.log, entry.n)) }
    }

    fn stored(&self) -> Vec<Record> {
        self.records.iter().map(|(key, value)| Record { key: key.clone(), value: Some(value.clone()) }).collect()
    }
}

/// One host.
#[derive(Debug)]
pub struct Machine {
    /// Nothing while it is down.
    pub engine: Option<Engine>,
    /// How often it was started: what was under way before is not for this life.
    pub boot: u32,
    /// What outlives it.
    pub disk: Disk,
    /// How far its clock is off, milliseconds.
    pub clock: i64,
    /// When the engine wants to be woken, by its own clock.
    pub wake: u64,
    /// Calls that wait for their answer.
    pub open: BTreeSet<String>,
    /// Randomness for its steps.
    pub entropy: Dice,
}

impl Machine {
    /// A machine without a past.
    #[must_use]
    pub fn new(seed: u64, number: usize) -> Self {
        Self {
            engine: None,
            boot: 0,
            disk: Disk::default(),
            clock: 0,
            wake: u64::MAX,
            open: BTreeSet::new(),
            entropy: Dice::new(seed, &format!("entropy {number}")),
        }
    }

    /// Its own time.
    #[must_use]
    pub fn time(&self, now: u64) -> u64 {
        now.saturating_add_signed(self.clock)
    }

    /// Starts it from its disk.
    ///
    /// # Errors
    /// In words, if the engine does not take its own records.
    pub fn start(&mut self) -> Result<(), String> {
        self.boot += 1;
        self.open.clear();
        self.wake = u64::MAX;
        let engine = Engine::restore(&self.disk.stored()).map_err(|bug| format!("does not restore: {bug:?}"))?;
        self.engine = Some(engine);
        Ok(())
    }

    /// It dies: whatever was not on the disk is gone.
    pub fn stop(&mut self) {
        self.engine = None;
        self.open.clear();
        self.wake = u64::MAX;
    }
}
