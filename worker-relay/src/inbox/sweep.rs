//! What an alarm does: deletes what has expired, and says when to look again.

use worker::{Env, Result};

use super::store::Store;
use crate::clock::Now;
use crate::routes::artifact::{BUCKET, expired, expires_at};
use crate::sql::number;

/// Artifacts and uploads looked up in the bucket in one alarm; the next alarm takes the rest.
const AT_ONCE: u64 = 100;

/// Deletes expired rows. Everything is bounded by its own expiry on reads too, so a late alarm hurts nobody.
pub(super) fn rows(store: &Store, now: Now) -> Result<()> {
    for table in ["envelopes", "trimmed", "used"] {
        store.0.run(&format!("DELETE FROM {table} WHERE expires_at <= ?"), vec![number(now.ms)])?;
    }
    Ok(())
}

/// Ends uploads of which nothing more was heard: a client that goes takes its request with it. What reached the
/// bucket all the same is its owner's, so that it will be deleted in its time.
pub(super) async fn uploads(store: &Store, env: &Env, now: Now) -> Result<()> {
    let due = store.0.all(
        "SELECT upload, hash, size FROM uploads WHERE expires_at <= ? LIMIT ?",
        vec![number(now.ms), number(AT_ONCE)],
    )?;
    for row in &due {
        let (upload, hash) = (row.text(0)?, row.text(1)?);
        let stored = env.bucket(BUCKET)?.head(hash).await?;
        if let Some(expires_at) = stored.as_ref().map(expires_at).transpose()?.flatten() {
            store.0.run(
                "INSERT OR IGNORE INTO artifacts (hash, size, expires_at) VALUES (?, ?, ?)",
                vec![hash.into(), number(row.number(2)?), number(expires_at)],
            )?;
        }
        store.release(upload)?;
    }
    Ok(())
}

/// Deletes expired artifacts from the bucket, unless another owner of the same bytes renewed them; then from the quota.
pub(super) async fn artifacts(store: &Store, env: &Env, now: Now) -> Result<()> {
    let due = store
        .0
        .all("SELECT hash FROM artifacts WHERE expires_at <= ? LIMIT ?", vec![number(now.ms), number(AT_ONCE)])?;
    if due.is_empty() {
        return Ok(());
    }
    let bucket = env.bucket(BUCKET)?;
    for row in &due {
        let hash = row.text(0)?;
        if let Some(object) = bucket.head(hash).await?
            && expired(&object, now)?
        {
            bucket.delete(hash).await?;
        }
        // Renewed by its owner while the bucket answered: then the row's expiry has moved, and it stays.
        store.0.run("DELETE FROM artifacts WHERE hash = ? AND expires_at <= ?", vec![hash.into(), number(now.ms)])?;
    }
    Ok(())
}

/// The next expiry of anything.
pub(super) fn next(store: &Store) -> Result<Option<u64>> {
    let row = store.0.first(
        "SELECT MIN(at) FROM (
           SELECT MIN(expires_at) AS at FROM envelopes UNION ALL SELECT MIN(expires_at) FROM trimmed
           UNION ALL SELECT MIN(expires_at) FROM used UNION ALL SELECT MIN(expires_at) FROM artifacts
           UNION ALL SELECT MIN(expires_at) FROM uploads)",
        vec![],
    )?;
    row.map_or(Ok(None), |row| row.optional_number(0))
}
