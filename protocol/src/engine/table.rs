//! Tables of records in memory, with a change set that is committed or undone as a whole.

use std::collections::BTreeMap;
use std::ops::Bound;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Bug;

/// A stored record: `key` is `<table>/<rest>`, `value` is JSON, `None` where the record is gone.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Record {
    /// `<table>/<rest>`.
    pub key: String,
    /// JSON text, or nothing where the record was deleted.
    pub value: Option<String>,
}

/// A value kept in a table.
pub(super) trait Stored: Serialize + DeserializeOwned + Clone {
    /// The first part of its keys.
    const TABLE: &'static str;
}

/// One table. Every change is remembered until [`Table::commit`] or [`Table::undo`].
#[derive(Debug)]
pub(super) struct Table<T> {
    // Boxed, so that the maps of all tables are the same code: they were a fifth of the wasm module.
    rows: BTreeMap<String, Box<T>>,
    before: BTreeMap<String, Option<Box<T>>>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), before: BTreeMap::new() }
    }
}

impl<T: Stored> Table<T> {
    pub(super) fn get(&self, key: &str) -> Option<&T> {
        self.rows.get(key).map(Box::as_ref)
    }

    pub(super) fn contains(&self, key: &str) -> bool {
        self.rows.contains_key(key)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut T> {
        let row = self.rows.get_mut(key)?;
        if !self.before.contains_key(key) {
            self.before.insert(key.to_owned(), Some(row.clone()));
        }
        Some(row)
    }

    pub(super) fn put(&mut self, key: impl Into<String>, row: T) {
        let key = key.into();
        let old = self.rows.insert(key.clone(), Box::new(row));
        self.before.entry(key).or_insert(old);
    }

    /// Changes every row that a condition names.
    pub(super) fn update(&mut self, names: impl Fn(&T) -> bool, change: impl Fn(&mut T)) {
        let keys: Vec<String> = self.iter().filter(|(_, row)| names(row)).map(|(key, _)| key.clone()).collect();
        for key in keys {
            if let Some(row) = self.get_mut(&key) {
                change(row);
            }
        }
    }

    pub(super) fn remove(&mut self, key: &str) -> Option<T> {
        let old = self.rows.remove(key)?;
        self.before.entry(key.to_owned()).or_insert_with(|| Some(old.clone()));
        Some(*old)
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (&String, &T)> {
        self.rows.iter().map(|(key, row)| (key, row.as_ref()))
    }

    pub(super) fn values(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.rows.values().map(Box::as_ref)
    }

    /// The rows whose keys begin with `prefix`, in key order.
    pub(super) fn under<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a String, &'a T)> {
        self.rows
            .range::<str, _>((Bound::Included(prefix), Bound::Unbounded))
            .take_while(move |(key, _)| key.starts_with(prefix))
            .map(|(key, row)| (key, row.as_ref()))
    }

    /// The keys that begin with `prefix`.
    pub(super) fn keys_under(&self, prefix: &str) -> Vec<String> {
        self.under(prefix).map(|(key, _)| key.clone()).collect()
    }

    /// Takes over what another process stored: not a change of ours.
    pub(super) fn load(&mut self, key: &str, value: Option<&str>) -> Result<(), Bug> {
        match value {
            None => {
                self.rows.remove(key);
            }
            Some(text) => {
                let row = serde_json::from_str(text).map_err(|_| Bug::CorruptRecord)?;
                self.rows.insert(key.to_owned(), Box::new(row));
            }
        }
        Ok(())
    }

    /// Appends the change set as records, and forgets it.
    pub(super) fn commit(&mut self, into: &mut Vec<Record>) -> Result<(), Bug> {
        for key in std::mem::take(&mut self.before).into_keys() {
            let value = match self.rows.get(&key) {
                Some(row) => Some(serde_json::to_string(row).map_err(|_| Bug::Serialise)?),
                None => None,
            };
            into.push(Record { key: format!("{}/{key}", T::TABLE), value });
        }
        Ok(())
    }

    /// Restores every row as it was at the last commit.
    pub(super) fn undo(&mut self) {
        for (key, row) in std::mem::take(&mut self.before) {
            match row {
                Some(row) => self.rows.insert(key, row),
                None => self.rows.remove(&key),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Stored for u32 {
        const TABLE: &'static str = "n";
    }

    #[test]
    fn a_change_set_is_committed_or_undone_as_a_whole() {
        let mut table = Table::<u32>::default();
        table.load("a", Some("1")).unwrap();
        *table.get_mut("a").unwrap() = 2;
        table.put("b", 3);
        table.put("b", 4);
        table.undo();
        assert_eq!((table.get("a"), table.get("b")), (Some(&1), None));
        table.remove("a");
        table.put("b", 5);
        let mut records = Vec::new();
        table.commit(&mut records).unwrap();
        let record = |key: &str, value: Option<&str>| Record { key: key.to_owned(), value: value.map(str::to_owned) };
        assert_eq!(records, [record("n/a", None), record("n/b", Some("5"))]);
        table.undo();
        assert_eq!(table.get("b"), Some(&5));
    }

    #[test]
    fn prefixes_do_not_leak_into_neighbours() {
        let mut table = Table::<u32>::default();
        for key in ["a/1", "a/2", "ab/1", "b/1"] {
            table.put(key, 0);
        }
        assert_eq!(table.keys_under("a/"), ["a/1", "a/2"]);
    }
}
