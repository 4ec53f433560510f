//! From a run that fails to the smallest one like it.

use crate::plan::Plan;
use crate::run::{Report, run};

/// Runs that may be spent on it.
const RUNS: u32 = 400;

/// Leaves out kinds of faults, acts, and single faults, as long as something still fails.
#[must_use]
pub fn shrink(plan: Plan) -> (Plan, Report) {
    let report = run(plan.clone(), false);
    let mut best = Best { plan, report, runs: 0 };
    let kinds: Vec<_> = best.plan.chances.iter().map(|(kind, _)| *kind).collect();
    for kind in kinds {
        best.try_with(|plan| plan.chances.retain(|(other, _)| *other != kind));
    }
    best.try_with(|plan| plan.hosts = 2);
    best.try_with(|plan| plan.is_tight = false);
    best.try_with(|plan| plan.has_streams = true);
    let mut step = best.plan.acts / 2;
    while step > 0 {
        if !best.try_with(|plan| plan.acts = plan.acts.saturating_sub(step)) {
            step /= 2;
        }
    }
    let mut width = best.report.faults.next_power_of_two();
    while width > 0 {
        let mut from = 1;
        while from <= best.report.faults {
            let range = from..from + width;
            if !range.clone().all(|number| best.plan.muted.contains(&number)) {
                best.try_with(|plan| plan.muted.extend(range));
            }
            from += width;
        }
        width /= 2;
    }
    (best.plan, best.report)
}

struct Best {
    plan: Plan,
    report: Report,
    runs: u32,
}

impl Best {
    /// Keeps a change if the run still fails.
    fn try_with(&mut self, change: impl FnOnce(&mut Plan)) -> bool {
        if self.runs >= RUNS {
            return false;
        }
        self.runs += 1;
        let mut plan = self.plan.clone();
        change(&mut plan);
        let report = run(plan.clone(), false);
        let fails = report.broken.is_some();
        if fails {
            (self.plan, self.report) = (plan, report);
        }
        fails
    }
}
