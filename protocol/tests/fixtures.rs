//! Every file of `fixtures/` is read by a test here, and that test runs in wasm too.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What says where the data comes from.
const TEXTS: [&str; 3] = ["README.md", "SOURCE.txt", "LICENSE"];

fn below(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { below(&path) } else { vec![path] }).collect()
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/")
}

/// How a test names the file: `fixture!("directory/file")`, or `own!("name"` for one of ours.
fn mark(fixture: &str) -> String {
    match fixture.strip_prefix("agentpair-own/").and_then(|name| name.strip_suffix(".json")) {
        Some(name) => format!("own!(\"{name}\","),
        None => format!("fixture!(\"{fixture}\")"),
    }
}

#[test]
fn every_vector_is_judged_natively_and_in_wasm() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (tests, fixtures) = (root.join("tests"), root.join("../fixtures"));
    let sources: BTreeMap<String, String> = below(&tests)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .map(|path| (relative(&tests, &path), std::fs::read_to_string(&path).unwrap()))
        .collect();
    let runs_in_wasm = std::fs::read_to_string(root.join("../wasm/tests/vectors.rs")).unwrap() + "mod support;";
    let vectors: Vec<String> = below(&fixtures)
        .iter()
        .map(|path| relative(&fixtures, path))
        .filter(|path| !TEXTS.iter().any(|text| path.ends_with(text)))
        .collect();
    assert!(vectors.len() > 20, "{vectors:?}");
    for vector in vectors {
        let readers: Vec<&String> =
            sources.iter().filter(|(_, text)| text.contains(&mark(&vector))).map(|(path, _)| path).collect();
        // A directory of tests is one test, under the name of its main file; what they share is read by all.
        let test_of = |path: &&String| match path.split_once('/') {
            Some(("support", _)) => "mod support;".to_owned(),
            Some((directory, _)) => format!("../../protocol/tests/{directory}/main.rs"),
            None => format!("../../protocol/tests/{path}"),
        };
        assert!(readers.iter().any(|path| runs_in_wasm.contains(&test_of(path))), "{vector} is read by {readers:?}");
    }
}
