//! What an alarm does: deletes what has expired, and says when to look again.

use worker::{Env, Result};

use super::store::Store;
use crate::clock::Now;
use crate::routes::artifact::{BUCKET, expired};
use crate::sql::number;

/// Artifacts deleted from the bucket in one alarm; the next alarm takes the rest.
const ARTIFACTS_AT_ONCE: u64 = 100;

/// Deletes expired rows. Everything is bounded by its own expiry on reads too, so a late alarm hurts nobody.
pub(super) fn rows(store: &Store, now: Now, retention_ms: u64) -> Result<()> {
    for table in ["envelopes", "trimmed", "used"] {
        store.0.run(&format!("DELETE FROM {table} WHERE expires_at <= ?"), vec![number(now.ms)])?;
    }
    // An upload that never ended may have left its object: count it as held until it would have expired.
    store.0.run(
        "INSERT OR IGNORE INTO artifacts (hash, size, expires_at)
         SELECT hash, size, expires_at + ?2 FROM uploads WHERE expires_at <= ?1",
        vec![number(now.ms), number(retention_ms)],
    )?;
    store.0.run("DELETE FROM uploads WHERE expires_at <= ?", vec![number(now.ms)])
}

/// Deletes expired artifacts from the bucket, unless another owner of the same bytes renewed them; then from the quota.
pub(super) async fn artifacts(store: &Store, env: &Env, now: Now) -> Result<()> {
    let due = store.0.all(
        "SELECT hash FROM artifacts WHERE expires_at <= ? LIMIT ?",
        vec![number(now.ms), number(ARTIFACTS_AT_ONCE)],
    )?;
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
