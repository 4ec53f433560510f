//! The inbox on disk. Each function is one question or one change; what belongs together is called
//! without an await between, and is committed together.

use worker::Result;

use super::body::Stored;
use super::call::Permit;
use super::decide::allowlist::{Changes, Held};
use super::decide::page::Row as PageRow;
use super::decide::post::SameId;
use super::decide::{Usage, artifact};
use crate::clock::Now;
use crate::sql::{Db, bytes, number};

/// Made by the first accepted allowlist. A stranger's request makes nothing.
///
/// `wire` comes last: what only needs the columns before it does not read the pages it fills.
const SCHEMA: &str = "
CREATE TABLE inbox (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), schema INTEGER NOT NULL,
  epoch TEXT NOT NULL, version TEXT, digest BLOB NOT NULL, signed BLOB NOT NULL) STRICT;
CREATE TABLE allowed (sender TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE envelopes (row_id INTEGER PRIMARY KEY AUTOINCREMENT, id_digest BLOB NOT NULL UNIQUE,
  wire_digest BLOB NOT NULL, sender TEXT NOT NULL, size INTEGER NOT NULL, received_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, wire BLOB NOT NULL) STRICT;
CREATE TABLE trimmed (id_digest BLOB PRIMARY KEY, wire_digest BLOB NOT NULL, row_id INTEGER NOT NULL,
  expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE used (challenge TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE artifacts (hash TEXT PRIMARY KEY, size INTEGER NOT NULL, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE uploads (upload TEXT PRIMARY KEY, hash TEXT NOT NULL, size INTEGER NOT NULL,
  expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
";

/// The tables of one inbox, which exist.
pub(super) struct Store(pub(super) Db);

impl Store {
    /// The store, if an allowlist was ever accepted.
    pub(super) fn existing(db: Db) -> Result<Option<Self>> {
        Ok(db.has_table("inbox")?.then_some(Self(db)))
    }

    /// Makes the tables, and the inbox in them.
    pub(super) fn create(db: Db, epoch: &str, push: (Option<u64>, &[u8; 32], &[u8])) -> Result<Self> {
        db.run(SCHEMA, vec![])?;
        let (version, digest, signed) = push;
        db.run(
            "INSERT INTO inbox (only_row, schema, epoch, version, digest, signed) VALUES (1, 1, ?, ?, ?, ?)",
            vec![epoch.into(), version.map(|v| v.to_string()).into(), bytes(digest), bytes(signed)],
        )?;
        Ok(Self(db))
    }

    pub(super) fn epoch(&self) -> Result<String> {
        let row = self.0.first("SELECT epoch FROM inbox", vec![])?;
        row.map_or_else(|| Ok(String::new()), |row| row.text(0).map(str::to_owned))
    }

    pub(super) fn held(&self) -> Result<Option<Held>> {
        let row = self.0.first("SELECT version, digest FROM inbox", vec![])?;
        // Text, because a version may be any whole number and the runtime's numbers end at 2^53.
        row.map(|row| {
            Ok(Held { version: row.optional_text(0)?.and_then(|text| text.parse().ok()), digest: row.digest(1)? })
        })
        .transpose()
    }

    pub(super) fn allowed(&self) -> Result<Vec<String>> {
        let rows = self.0.all("SELECT sender FROM allowed", vec![])?;
        rows.iter().map(|row| row.text(0).map(str::to_owned)).collect()
    }

    pub(super) fn replace(&self, version: Option<u64>, digest: &[u8; 32], signed: &[u8]) -> Result<()> {
        self.0.run(
            "UPDATE inbox SET version = ?, digest = ?, signed = ?",
            vec![version.map(|v| v.to_string()).into(), bytes(digest), bytes(signed)],
        )
    }

    /// Changes who may write; what senders left that no longer may goes with them.
    pub(super) fn change_allowed(&self, changes: &Changes<'_>) -> Result<()> {
        for sender in &changes.removed {
            self.0.run("DELETE FROM allowed WHERE sender = ?", vec![(*sender).into()])?;
            self.0.run("DELETE FROM envelopes WHERE sender = ?", vec![(*sender).into()])?;
        }
        for sender in &changes.added {
            self.0.run("INSERT INTO allowed (sender) VALUES (?)", vec![(*sender).into()])?;
        }
        Ok(())
    }

    pub(super) fn allows(&self, sender: &str) -> Result<bool> {
        Ok(self.0.first("SELECT 1 FROM allowed WHERE sender = ?", vec![sender.into()])?.is_some())
    }

    /// How an envelope compares with one that is here, or was trimmed, under the same id.
    pub(super) fn same_id(&self, id_digest: &[u8; 32], wire_digest: &[u8; 32]) -> Result<Option<SameId>> {
        let row = self.0.first(
            "SELECT wire_digest FROM envelopes WHERE id_digest = ?1 UNION ALL SELECT wire_digest FROM trimmed WHERE id_digest = ?1",
            vec![bytes(id_digest)],
        )?;
        row.map(|row| Ok(if row.digest(0)? == *wire_digest { SameId::SameBytes } else { SameId::OtherBytes }))
            .transpose()
    }

    /// What waits in all, and of one sender.
    pub(super) fn usage(&self, sender: &str, now: Now) -> Result<(Usage, Usage)> {
        let row = self.0.first(
            "SELECT COUNT(*), COALESCE(SUM(size), 0), COALESCE(SUM(sender = ?1), 0), COALESCE(SUM((sender = ?1) * size), 0)
             FROM envelopes WHERE expires_at > ?2",
            vec![sender.into(), number(now.ms)],
        )?;
        row.map_or_else(
            || Ok(Default::default()),
            |row| {
                let usage = |rows, bytes| worker::ok::Ok(Usage { rows: row.number(rows)?, bytes: row.number(bytes)? });
                Ok((usage(0, 1)?, usage(2, 3)?))
            },
        )
    }

    pub(super) fn insert(
        &self,
        (id_digest, wire_digest): (&[u8; 32], &[u8; 32]),
        sender: &str,
        wire: &[u8],
        (now, expires_at): (Now, u64),
    ) -> Result<()> {
        self.0.run(
            "INSERT INTO envelopes (id_digest, wire_digest, sender, size, received_at, expires_at, wire)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
            vec![
                bytes(id_digest),
                bytes(wire_digest),
                sender.into(),
                number(wire.len() as u64),
                number(now.ms),
                number(expires_at),
                bytes(wire),
            ],
        )
    }

    /// The next rows by number and size, of these senders or of all. One more than asked for, to see whether there are more.
    pub(super) fn next_rows(
        &self,
        since: u64,
        senders: Option<&[String]>,
        most: u64,
        now: Now,
    ) -> Result<Vec<PageRow>> {
        let rows = self.0.all(
            "SELECT row_id, size FROM envelopes WHERE row_id > ?1 AND expires_at > ?2
             AND (?3 IS NULL OR sender IN (SELECT value FROM json_each(?3))) ORDER BY row_id LIMIT ?4",
            vec![number(since), number(now.ms), json(senders).into(), number(most.saturating_add(1))],
        )?;
        rows.iter().map(|row| Ok(PageRow { id: row.number(0)?, size: row.number(1)? })).collect()
    }

    /// The envelopes of a page.
    pub(super) fn wires(&self, since: u64, through: u64, senders: Option<&[String]>, now: Now) -> Result<Vec<Stored>> {
        let rows = self.0.all(
            "SELECT row_id, wire FROM envelopes WHERE row_id > ?1 AND row_id <= ?4 AND expires_at > ?2
             AND (?3 IS NULL OR sender IN (SELECT value FROM json_each(?3))) ORDER BY row_id",
            vec![number(since), number(now.ms), json(senders).into(), number(through)],
        )?;
        rows.iter().map(|row| Ok(Stored { row_id: row.number(0)?, wire: row.bytes(1)?.to_vec() })).collect()
    }

    /// Waiting rows that a filter leaves out.
    pub(super) fn filtered(&self, since: u64, senders: &[String], now: Now) -> Result<u64> {
        self.count(
            "SELECT COUNT(*) FROM envelopes WHERE row_id > ?1 AND expires_at > ?2
             AND sender NOT IN (SELECT value FROM json_each(?3))",
            vec![number(since), number(now.ms), json(Some(senders)).into()],
        )
    }

    /// What is out on a socket: sent and not acknowledged.
    pub(super) fn out(&self, acked: u64, sent: u64) -> Result<Usage> {
        let row = self.0.first(
            "SELECT COUNT(*), COALESCE(SUM(size), 0) FROM envelopes WHERE row_id > ? AND row_id <= ?",
            vec![number(acked), number(sent)],
        )?;
        row.map_or_else(|| Ok(Usage::default()), |row| Ok(Usage { rows: row.number(0)?, bytes: row.number(1)? }))
    }

    /// Deletes what was processed, but keeps its ids until they expire, so that a late retry is not stored again.
    pub(super) fn trim(&self, through: u64, remember: u64) -> Result<u64> {
        let trimmed = self.count("SELECT COUNT(*) FROM envelopes WHERE row_id <= ?", vec![number(through)])?;
        if trimmed > 0 {
            self.0.run(
                "INSERT OR REPLACE INTO trimmed (id_digest, wire_digest, row_id, expires_at)
                 SELECT id_digest, wire_digest, row_id, expires_at FROM envelopes WHERE row_id <= ?",
                vec![number(through)],
            )?;
            self.0.run("DELETE FROM envelopes WHERE row_id <= ?", vec![number(through)])?;
            self.forget_old(remember, trimmed)?;
        }
        Ok(trimmed)
    }

    /// Keeps the memory of trimmed rows bounded. It scans them all, so it runs now and then.
    fn forget_old(&self, remember: u64, trimmed: u64) -> Result<()> {
        let last = self.count("SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = 'envelopes'", vec![])?;
        if last > remember && last % (remember / 64).max(1) < trimmed {
            self.0.run("DELETE FROM trimmed WHERE row_id <= ?", vec![number(last - remember)])?;
        }
        Ok(())
    }

    pub(super) fn purge(&self, sender: &str) -> Result<u64> {
        let deleted = self.count("SELECT COUNT(*) FROM envelopes WHERE sender = ?", vec![sender.into()])?;
        self.0.run("DELETE FROM envelopes WHERE sender = ?", vec![sender.into()])?;
        Ok(deleted)
    }

    pub(super) fn was_used(&self, permit: &Permit) -> Result<bool> {
        Ok(self.0.first("SELECT 1 FROM used WHERE challenge = ?", vec![permit.challenge.as_str().into()])?.is_some())
    }

    /// Marks a challenge used, and forgets those that have expired since.
    pub(super) fn mark_used(&self, permit: &Permit, now: Now) -> Result<()> {
        self.0.run("DELETE FROM used WHERE expires_at <= ?", vec![number(now.ms)])?;
        self.0.run(
            "INSERT INTO used (challenge, expires_at) VALUES (?, ?)",
            vec![permit.challenge.as_str().into(), number(permit.expires_at_s.saturating_mul(1_000))],
        )
    }

    /// What bears on `size` more bytes under `hash`. Uploads of one hash count once, so that one that broke off
    /// does not stand in the way of its repetition.
    pub(super) fn artifact_view(&self, hash: &str, size: u64, now: Now) -> Result<artifact::View> {
        let used = self.count(
            "SELECT (SELECT COALESCE(SUM(size), 0) FROM artifacts WHERE expires_at > ?1)
                  + (SELECT COALESCE(SUM(size), 0) FROM (SELECT MAX(size) AS size FROM uploads WHERE expires_at > ?1
                       AND hash NOT IN (SELECT hash FROM artifacts WHERE expires_at > ?1) GROUP BY hash))",
            vec![number(now.ms)],
        )?;
        let held = self.0.first(
            "SELECT 1 FROM artifacts WHERE hash = ?1 AND size >= ?2 AND expires_at > ?3
             UNION ALL SELECT 1 FROM uploads WHERE hash = ?1 AND size >= ?2 AND expires_at > ?3",
            vec![hash.into(), number(size), number(now.ms)],
        )?;
        Ok(artifact::View { registered: true, held: held.is_some(), used })
    }

    pub(super) fn reserve(&self, upload: &str, hash: &str, size: u64, expires_at: u64) -> Result<()> {
        self.0.run(
            "INSERT OR REPLACE INTO uploads (upload, hash, size, expires_at) VALUES (?, ?, ?, ?)",
            vec![upload.into(), hash.into(), number(size), number(expires_at)],
        )
    }

    pub(super) fn commit(&self, upload: &str, hash: &str, size: u64, expires_at: u64) -> Result<()> {
        self.release(upload)?;
        self.0.run(
            "INSERT OR REPLACE INTO artifacts (hash, size, expires_at) VALUES (?, ?, ?)",
            vec![hash.into(), number(size), number(expires_at)],
        )
    }

    pub(super) fn release(&self, upload: &str) -> Result<()> {
        self.0.run("DELETE FROM uploads WHERE upload = ?", vec![upload.into()])
    }

    fn count(&self, query: &str, values: Vec<worker::SqlStorageValue>) -> Result<u64> {
        self.0.first(query, values)?.map_or(Ok(0), |row| row.number(0))
    }
}

fn json(senders: Option<&[String]>) -> Option<String> {
    // A list of strings always serialises.
    senders.map(|senders| serde_json::to_string(senders).unwrap_or_default())
}
