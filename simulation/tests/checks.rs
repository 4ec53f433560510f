//! The checks can fail: each way to break a host on purpose is found within a few seeds.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test that panics has failed")]

use agentpair_simulation::plan::{Plan, Sabotage};
use agentpair_simulation::run::run;
use agentpair_simulation::shrink::shrink;

const SEEDS: u64 = 40;

fn broken_by(sabotage: Sabotage) -> Option<(Plan, String)> {
    (0..SEEDS).find_map(|seed| {
        let plan = Plan { sabotage: Some(sabotage), ..Plan::of(seed) };
        run(plan.clone(), false).broken.map(|broken| (plan, broken))
    })
}

#[test]
fn a_disk_that_forgets_a_transaction_is_found() {
    assert!(broken_by(Sabotage::ForgetfulDisk).is_some());
}

#[test]
fn a_disk_from_before_is_found() {
    assert!(broken_by(Sabotage::OldDisk).is_some());
}

#[test]
fn a_message_that_is_shown_twice_is_found() {
    let (_, broken) = broken_by(Sabotage::DoubledFeed).unwrap();
    assert!(broken.contains("twice") || broken.contains("is number"), "{broken}");
}

#[test]
fn a_run_is_a_function_of_its_plan_and_shrinks_to_a_smaller_one() {
    let (plan, broken) = broken_by(Sabotage::ForgetfulDisk).unwrap();
    assert_eq!(run(plan.clone(), true).broken.as_ref(), Some(&broken));
    let (small, report) = shrink(plan.clone());
    assert!(report.broken.is_some());
    assert!(small.acts < plan.acts, "{} of {} acts are left", small.acts, plan.acts);
    assert_eq!(run(small, false).broken, report.broken);
}

#[test]
fn in_a_calm_world_everything_arrives() {
    for seed in 0..5 {
        let report = run(Plan { chances: Vec::new(), ..Plan::of(seed) }, false);
        assert_eq!(report.broken, None, "seed {seed}");
        assert_eq!(report.faults, 0);
        assert!(report.bonds >= 2 && report.messages.1 > 0, "seed {seed}: {report:?}");
    }
}
