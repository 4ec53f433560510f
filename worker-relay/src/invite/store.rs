//! The invite on disk.

use worker::{Result, State};

use super::decide::Record;
use crate::clock::Now;
use crate::inbox::call::Permit;
use crate::sql::{Db, bytes, number};

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS invite (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), digest BLOB NOT NULL,
  agent_id TEXT NOT NULL, session_id TEXT NOT NULL, expires_at INTEGER NOT NULL, withdrawn_at INTEGER,
  claim_id TEXT, refused INTEGER NOT NULL, pake TEXT, signed BLOB) STRICT;
CREATE TABLE IF NOT EXISTS used (challenge TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
";

/// The tables of one name, if they were made.
pub(super) struct Store {
    db: Db,
}

/// What is published.
pub(super) struct Publish<'a> {
    pub(super) agent_id: &'a str,
    pub(super) session_id: &'a str,
    pub(super) pake: &'a str,
    pub(super) signed: &'a [u8],
}

/// What is handed out.
pub(super) struct Text {
    pub(super) session_id: String,
    pub(super) pake: String,
    pub(super) signed: Vec<u8>,
}

impl Store {
    pub(super) fn of(state: &State) -> Self {
        Self { db: Db::of(state) }
    }

    pub(super) fn record(&self) -> Result<Option<Record>> {
        if !self.db.has_table("invite")? {
            return Ok(None);
        }
        let row = self.db.first("SELECT digest, expires_at, withdrawn_at, claim_id, refused FROM invite", vec![])?;
        row.map(|row| {
            Ok(Record {
                digest: row.digest(0)?,
                expires_at: row.number(1)?,
                withdrawn_at: row.optional_number(2)?,
                claim_id: row.optional_text(3)?.map(str::to_owned),
                refused: row.number(4)?,
            })
        })
        .transpose()
    }

    pub(super) fn publish(&self, digest: &[u8; 32], expires_at: u64, text: &Publish<'_>) -> Result<()> {
        self.db.run(SCHEMA, vec![])?;
        // Replaces one that is past its tombstone and waits for its alarm.
        self.db.run(
            "INSERT OR REPLACE INTO invite (only_row, digest, agent_id, session_id, expires_at, refused, pake, signed)
             VALUES (1, ?, ?, ?, ?, 0, ?, ?)",
            vec![
                bytes(digest),
                text.agent_id.into(),
                text.session_id.into(),
                number(expires_at),
                text.pake.into(),
                bytes(text.signed),
            ],
        )
    }

    pub(super) fn mark_claimed(&self, claim_id: &str) -> Result<()> {
        self.db.run("UPDATE invite SET claim_id = ?", vec![claim_id.into()])
    }

    pub(super) fn count_refused(&self) -> Result<()> {
        self.db.run("UPDATE invite SET refused = refused + 1", vec![])
    }

    pub(super) fn withdraw(&self, now: Now) -> Result<()> {
        self.db.run("UPDATE invite SET withdrawn_at = ?, pake = NULL, signed = NULL", vec![number(now.ms)])
    }

    pub(super) fn erase_text(&self) -> Result<()> {
        self.db.run("UPDATE invite SET pake = NULL, signed = NULL", vec![])
    }

    pub(super) fn agent_id(&self) -> Result<String> {
        self.column("SELECT agent_id FROM invite")
    }

    pub(super) fn session_id(&self) -> Result<String> {
        self.column("SELECT session_id FROM invite")
    }

    pub(super) fn text(&self) -> Result<Option<Text>> {
        let row = self.db.first("SELECT session_id, pake, signed FROM invite WHERE signed IS NOT NULL", vec![])?;
        row.map(|row| {
            Ok(Text {
                session_id: row.text(0)?.to_owned(),
                pake: row.text(1)?.to_owned(),
                signed: row.bytes(2)?.to_vec(),
            })
        })
        .transpose()
    }

    pub(super) fn was_used(&self, permit: &Permit) -> Result<bool> {
        Ok(self.db.first("SELECT 1 FROM used WHERE challenge = ?", vec![permit.challenge.as_str().into()])?.is_some())
    }

    pub(super) fn mark_used(&self, permit: &Permit, now: Now) -> Result<()> {
        self.db.run("DELETE FROM used WHERE expires_at <= ?", vec![number(now.ms)])?;
        self.db.run(
            "INSERT INTO used (challenge, expires_at) VALUES (?, ?)",
            vec![permit.challenge.as_str().into(), number(permit.expires_at_s.saturating_mul(1_000))],
        )
    }

    fn column(&self, query: &str) -> Result<String> {
        self.db.first(query, vec![])?.map_or_else(|| Ok(String::new()), |row| row.text(0).map(str::to_owned))
    }
}
