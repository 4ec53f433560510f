//! The corpora and the regressions of the fuzz targets, each file through the function that its target calls.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agentpair_fuzz_cases::TARGETS;

/// All corpora together: they are in the repository, and in every run of the tests.
const CORPUS_BYTES: u64 = 300 * 1_024;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn replay(name: &str) {
    let (_, target) = TARGETS.into_iter().find(|(known, _)| *known == name).expect("a target");
    let corpus = files(&fuzz().join("corpus").join(name));
    assert!(!corpus.is_empty(), "{name} has no corpus");
    for file in corpus.into_iter().chain(files(&fuzz().join("regressions").join(name))) {
        let bytes = std::fs::read(&file).unwrap();
        let outcome = std::panic::catch_unwind(|| target(&bytes));
        assert!(outcome.is_ok(), "{} breaks {name}", file.display());
    }
}

macro_rules! replays {
    ($($name:ident)+) => {
        $(#[test]
        fn $name() {
            replay(stringify!($name));
        })+

        const REPLAYED: &[&str] = &[$(stringify!($name)),+];
    };
}

replays! { envelope json encoding pairing signed payload proof relay answers store engine }

#[test]
fn every_target_is_replayed_and_has_a_fuzzer() {
    let names: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names, REPLAYED.iter().map(|name| (*name).to_owned()).collect());
    let stem = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    assert_eq!(names, files(&fuzz().join("fuzz_targets")).iter().map(stem).collect());
    let manifest = std::fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for name in &names {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name} is not built");
    }
    for directory in ["corpus", "regressions"] {
        let known = |path: PathBuf| path.is_file() || names.contains(&stem(&path));
        assert!(files(&fuzz().join(directory)).into_iter().all(known), "{directory} holds what no target reads");
    }
}

#[test]
fn the_corpora_stay_small() {
    let sizes = TARGETS.iter().flat_map(|(name, _)| files(&fuzz().join("corpus").join(name)));
    let bytes: u64 = sizes.map(|file| std::fs::metadata(file).unwrap().len()).sum();
    assert!(bytes <= CORPUS_BYTES, "{bytes} bytes");
}
