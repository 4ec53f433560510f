//! SPEC.md and the code name the same errors, and every requirement has one id of its own.

#![expect(clippy::expect_used, clippy::panic, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use agentpair_protocol::artifact::sha256_hex;
use agentpair_protocol::bond::allowlist::AllowlistFault;
use agentpair_protocol::challenge::{Purpose, issue};
use agentpair_protocol::envelope::bind;
use agentpair_protocol::error::{Bug, Misuse, Refusal, Reject};
use agentpair_protocol::gate::{Approval, Decision, Handover};
use agentpair_protocol::identity::Keypair;
use agentpair_protocol::negotiation::{Agreement, Deliverable, DeliverableKind, Ratify};
use agentpair_protocol::safety::{keys_digest, safety_number};

/// One row of the table of errors.
struct Row {
    code: String,
    source: String,
    blame: String,
    is_explained: bool,
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The paragraphs, list items and table rows of a Markdown text, each as one line; code blocks are left out.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    let mut is_code = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
            continue;
        }
        if is_code {
            continue;
        }
        let begins = line.trim().is_empty() || ["- ", "| ", "#"].iter().any(|mark| line.starts_with(mark));
        match blocks.last_mut().filter(|block| !begins && !block.is_empty()) {
            Some(block) => {
                block.push(' ');
                block.push_str(line.trim());
            }
            None => blocks.push(line.trim().to_owned()),
        }
    }
    blocks
}

/// An id such as `ENV-7`: capitals, a dash, a number without leading zeros.
fn is_id(word: &str) -> bool {
    word.split_once('-').is_some_and(|(area, number)| {
        (2..=4).contains(&area.len())
            && area.bytes().all(|b| b.is_ascii_uppercase())
            && number.bytes().all(|b| b.is_ascii_digit())
            && !number.is_empty()
            && !number.starts_with('0')
    })
}

/// The id that a requirement begins with.
fn defined(block: &str) -> Option<&str> {
    block.strip_prefix("- **")?.split_once("**").map(|(id, _)| id).filter(|id| is_id(id))
}

/// The area of an id: what stands before the dash.
fn area(id: &str) -> &str {
    id.split_once('-').map_or(id, |(area, _)| area)
}

/// The ids that a text names.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).filter(|word| is_id(word))
}

fn errors(spec: &str) -> Vec<Row> {
    let (_, rest) = spec.split_once("<!-- errors:begin -->\n").expect("the table of errors begins");
    let (table, _) = rest.split_once("<!-- errors:end -->").expect("the table of errors ends");
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("| Code | Source | Blame | Meaning | What to do |"));
    assert_eq!(lines.next(), Some("|---|---|---|---|---|"));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let [_, code, source, blame, meaning, advice, _] = cells.as_slice() else {
                panic!("not five cells: {line}")
            };
            Row {
                code: code.trim_matches('`').to_owned(),
                source: (*source).to_owned(),
                blame: (*blame).to_owned(),
                is_explained: !meaning.is_empty() && !advice.is_empty(),
            }
        })
        .collect()
}

fn codes_of<'a>(rows: &'a [Row], source: &str) -> Vec<&'a str> {
    rows.iter().filter(|row| row.source == source).map(|row| row.code.as_str()).collect()
}

/// The statuses and codes of the relay, as its list of problems writes them: `NAME = 404 "not_found"`.
fn problems() -> BTreeSet<(String, String)> {
    let source = read("worker-relay/src/problem.rs");
    let (_, rest) = source.split_once("problems! {").expect("the list of problems");
    let (list, _) = rest.split_once("\n}").expect("the end of the list");
    let problem = |line: &str| {
        let (_, value) = line.trim().split_once(" = ")?;
        let (status, rest) = value.split_once(" \"")?;
        Some((status.to_owned(), rest.split('"').next()?.to_owned()))
    };
    list.lines().filter_map(problem).collect()
}

#[test]
fn the_table_holds_exactly_the_codes_of_the_core() {
    let rows = errors(&read("SPEC.md"));
    assert_eq!(codes_of(&rows, "reject"), Reject::ALL.iter().map(|e| e.code()).collect::<Vec<_>>());
    assert_eq!(codes_of(&rows, "refusal"), Refusal::ALL.iter().map(|e| e.code()).collect::<Vec<_>>());
    assert_eq!(codes_of(&rows, "misuse"), Misuse::ALL.iter().map(|e| e.code()).collect::<Vec<_>>());
    assert_eq!(codes_of(&rows, "bug"), Bug::ALL.iter().map(|e| e.code()).collect::<Vec<_>>());
}

#[test]
fn the_table_holds_exactly_the_codes_of_the_relay() {
    let rows = errors(&read("SPEC.md"));
    let listed: BTreeSet<(String, String)> =
        rows.iter().filter_map(|row| Some((row.source.strip_prefix("relay ")?.to_owned(), row.code.clone()))).collect();
    let mut wanted = problems();
    assert!(wanted.len() > 30, "the list of problems was not understood");
    // Those of an envelope stand in the rows of the core: the relay answers them with the core's own code.
    wanted.retain(|(_, code)| code != "envelope_too_large" && code != "recipient_not_allowed");
    for fault in [AllowlistFault::Json, AllowlistFault::Shape, AllowlistFault::Signature, AllowlistFault::AgentMismatch]
    {
        wanted.insert((fault.status().to_string(), fault.code().to_owned()));
    }
    let missing: Vec<_> = wanted.difference(&listed).collect();
    let surplus: Vec<_> = listed.difference(&wanted).collect();
    assert!(missing.is_empty() && surplus.is_empty(), "missing {missing:?}, not the relay's {surplus:?}");
}

#[test]
fn every_error_has_one_row_a_source_and_an_explanation() {
    let blames = BTreeMap::from([
        ("reject", ["peer"].as_slice()),
        ("refusal", &["policy"]),
        ("misuse", &["caller"]),
        ("bug", &["bug"]),
        ("relay", &["relay", "caller", "policy", "peer"]),
        ("outcome", &["peer", "policy", "caller", "relay", "none"]),
        ("feed", &["peer", "policy", "relay"]),
    ]);
    let mut seen = BTreeSet::new();
    for row in errors(&read("SPEC.md")) {
        let family = row.source.split(' ').next().unwrap_or_default();
        let known = blames.get(family).unwrap_or_else(|| panic!("unknown source {}", row.source));
        assert!(known.contains(&row.blame.as_str()), "{}: {} is to blame for {}", row.code, row.blame, row.source);
        assert!(row.is_explained, "{} is not explained", row.code);
        assert!(row.code.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'), "{}", row.code);
        assert!(seen.insert((row.code.clone(), row.source.clone())), "{} stands twice", row.code);
    }
}

#[test]
fn every_requirement_has_an_id_of_its_own() {
    let spec = read("SPEC.md");
    let blocks = blocks(&spec);
    let mut ids = BTreeSet::new();
    for block in &blocks {
        match defined(block) {
            Some(id) => assert!(ids.insert(id), "{id} is defined twice"),
            None => assert!(!block.contains("MUST"), "a requirement without an id: {block}"),
        }
    }
    assert!(ids.len() > 100, "only {} requirements were found", ids.len());
    let areas: BTreeSet<&str> = ids.iter().map(|id| area(id)).collect();
    for id in blocks.iter().flat_map(|block| named(block)).filter(|id| areas.contains(area(id))) {
        assert!(ids.contains(id), "{id} is named, and defined nowhere");
    }
}

#[test]
fn the_values_for_implementers_are_ours() {
    let spec = read("SPEC.md");
    let [alice, bob] = [1, 2].map(|n| Keypair::from_seed([n; 32]));
    let (a, b) = (alice.agent_id().as_str(), bob.agent_id().as_str());
    let id = "00000000-0000-4000-8000-000000000000";
    let deliverable = Deliverable {
        kind: DeliverableKind::Json,
        media_type: "application/json".to_owned(),
        name: "a.json".to_owned(),
        text: "{}".to_owned(),
    };
    let (terms, deliverable) = ([7; 32], deliverable.describe());
    let agreement =
        Agreement { thread: "t", initiator: a, recipient: b, terms: &terms, deliverable: &deliverable, supersedes: "" };
    let digest = agreement.digest().unwrap();
    let (approved_at, offer_expires_at) = (1_800_000_000_000, 1_800_000_600_000);
    let ratify = Ratify { digest: &digest, signer: a, approved_at, offer_expires_at, channel: "file" };
    let (pending, seen) = ("00000000-0000-4000-8000-000000000001", "ab".repeat(32));
    let approval =
        Approval { pending, decision: Decision::Approve, digest: &seen, agreement: &hex::encode(digest) }.sign(&bob);
    let handover = Handover { from: alice.agent_id(), version: 2, to: Some(bob.agent_id()) };
    for (name, value) in [
        ("approval", approval),
        ("handover", handover.sign(&alice)),
        ("bind", bind(a, b, id, "core.msg", "550e8400-e29b-41d4-a716-446655440000", 1)),
        ("keys digest", hex::encode(keys_digest(alice.agent_id(), bob.agent_id()))),
        ("safety number", safety_number(alice.agent_id(), bob.agent_id()).unwrap().join(" ")),
        ("agreement digest", hex::encode(digest)),
        ("ratification", ratify.sign(&alice).sig),
        ("challenge", issue(&[9; 32], a, Purpose::Pull, "relay.example:8443", 1_800_000_060, [1; 5]).unwrap()),
        ("word list", sha256_hex(read("protocol/src/pairing/words.txt").as_bytes())),
    ] {
        assert!(spec.contains(&format!("`{value}`")), "the {name} is {value}");
    }
}

/// A check that cannot fail checks nothing.
#[test]
fn the_reader_sees_what_is_wrong() {
    let text = "- **ENV-1** A reader\n  MUST refuse.\n\nA writer MUST not.\n\n```\nMUST\n```\n| x | MUST |\n";
    let blocks = blocks(text);
    let bare: Vec<&String> = blocks.iter().filter(|b| b.contains("MUST") && defined(b).is_none()).collect();
    assert_eq!(bare, ["A writer MUST not.", "| x | MUST |"]);
    assert_eq!(blocks.iter().filter_map(|b| defined(b)).collect::<Vec<_>>(), ["ENV-1"]);
    assert_eq!(named("see ENV-7, and (RAT-10); not X-1 or env-2").collect::<Vec<_>>(), ["ENV-7", "RAT-10"]);
    assert!(!is_id("ENV-07") && !is_id("env-1") && !is_id("ENV-"));
}
