//! The few things that the objects ask of SQLite, without the ways it has to throw past Rust.

use worker::{Error, Result, SqlStorageValue, State};

/// The object's database.
pub(crate) struct Db(worker::SqlStorage);

/// One row of an answer, by column number.
pub(crate) struct Row(Vec<SqlStorageValue>);

impl Db {
    pub(crate) fn of(state: &State) -> Self {
        Self(state.storage().sql())
    }

    /// Runs a statement for its effect.
    pub(crate) fn run(&self, statement: &str, values: Vec<SqlStorageValue>) -> Result<()> {
        self.0.exec(statement, values).map(|_| ())
    }

    /// All rows. Read at once: a cursor does not survive the next statement.
    pub(crate) fn all(&self, query: &str, values: Vec<SqlStorageValue>) -> Result<Vec<Row>> {
        self.0.exec(query, values)?.raw().map(|row| row.map(Row)).collect()
    }

    /// The first row, if any.
    pub(crate) fn first(&self, query: &str, values: Vec<SqlStorageValue>) -> Result<Option<Row>> {
        Ok(self.all(query, values)?.into_iter().next())
    }

    /// Whether a table was made. Asking makes nothing.
    pub(crate) fn has_table(&self, name: &str) -> Result<bool> {
        Ok(self.first("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", vec![name.into()])?.is_some())
    }
}

impl Row {
    fn get(&self, column: usize) -> Result<&SqlStorageValue> {
        self.0.get(column).ok_or_else(|| Error::from("no such column"))
    }

    /// A whole number that is not negative.
    pub(crate) fn number(&self, column: usize) -> Result<u64> {
        self.optional_number(column)?.ok_or_else(|| Error::from("a number is NULL"))
    }

    pub(crate) fn optional_number(&self, column: usize) -> Result<Option<u64>> {
        match self.get(column)? {
            SqlStorageValue::Null => Ok(None),
            SqlStorageValue::Integer(n) => u64::try_from(*n).map(Some).map_err(|_| Error::from("a number is negative")),
            _ => Err(Error::from("not a number")),
        }
    }

    pub(crate) fn text(&self, column: usize) -> Result<&str> {
        self.optional_text(column)?.ok_or_else(|| Error::from("a text is NULL"))
    }

    pub(crate) fn optional_text(&self, column: usize) -> Result<Option<&str>> {
        match self.get(column)? {
            SqlStorageValue::Null => Ok(None),
            SqlStorageValue::String(text) => Ok(Some(text)),
            _ => Err(Error::from("not a text")),
        }
    }

    pub(crate) fn bytes(&self, column: usize) -> Result<&[u8]> {
        match self.get(column)? {
            SqlStorageValue::Blob(bytes) => Ok(bytes),
            _ => Err(Error::from("not bytes")),
        }
    }

    /// A column of 32 bytes.
    pub(crate) fn digest(&self, column: usize) -> Result<[u8; 32]> {
        self.bytes(column)?.try_into().map_err(|_| Error::from("not a digest"))
    }
}

/// A number as a value. The runtime holds whole numbers up to 2^53 - 1; later moments are cut to that.
pub(crate) fn number(n: u64) -> SqlStorageValue {
    const MOST: i64 = 9_007_199_254_740_991;
    SqlStorageValue::Integer(i64::try_from(n).unwrap_or(MOST).min(MOST))
}

/// Bytes as a value.
pub(crate) fn bytes(bytes: &[u8]) -> SqlStorageValue {
    SqlStorageValue::Blob(bytes.to_vec())
}
