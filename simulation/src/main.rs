//! `sim --seeds N [--from M]`: that many runs. `sim --seed S`: one run, shrunk and told line by line.
#![expect(clippy::disallowed_methods, reason = "how long it took is measured; time inside is virtual")]

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use agentpair_simulation::plan::Plan;
use agentpair_simulation::run::{Report, run};
use agentpair_simulation::shrink::shrink;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (mut seeds, mut from, mut seed) = (1_000, 0, None);
    while let (Some(name), Some(value)) = (arguments.next(), arguments.next()) {
        let Ok(value) = value.parse() else { return usage() };
        match name.as_str() {
            "--seeds" => seeds = value,
            "--from" => from = value,
            "--seed" => seed = Some(value),
            _ => return usage(),
        }
    }
    match seed {
        Some(seed) => replay(seed),
        None => many(from, seeds),
    }
}

fn usage() -> ExitCode {
    eprintln!("sim [--seeds N] [--from N] | sim --seed N");
    ExitCode::from(2)
}

#[derive(Default)]
struct Sum {
    faults: u64,
    sent: u64,
    arrived: u64,
    bonds: u64,
    agreed: u64,
}

impl Sum {
    fn add(&mut self, report: &Report) {
        self.faults += u64::from(report.faults);
        self.sent += report.messages.0 as u64;
        self.arrived += report.messages.1 as u64;
        self.bonds += report.bonds as u64;
        self.agreed += report.agreed as u64;
    }
}

/// Runs many seeds on all processors, until one fails.
fn many(from: u64, seeds: u64) -> ExitCode {
    let begun = Instant::now();
    let (next, is_over) = (AtomicU64::new(from), AtomicBool::new(false));
    let (sum, failures) = (Mutex::new(Sum::default()), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= from + seeds {
                        return;
                    }
                    let report = run(Plan::of(seed), false);
                    if let Ok(mut sum) = sum.lock() {
                        sum.add(&report);
                    }
                    if let Some(broken) = report.broken {
                        println!("seed {seed}: {broken}");
                        if let Ok(mut failures) = failures.lock() {
                            failures.push(seed);
                            is_over.store(failures.len() >= 10, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    let seconds = begun.elapsed().as_secs();
    if let Ok(sum) = sum.lock() {
        println!(
            "sim: {seeds} seeds from {from} in {seconds} s: {} faults, {} messages of which {} arrived, {} bonds, {} agreements",
            sum.faults, sum.sent, sum.arrived, sum.bonds, sum.agreed
        );
    }
    match failures.lock().map(|failures| failures.iter().min().copied()) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(seed)) => {
            println!("replay one with: make sim SEED={seed}");
            ExitCode::FAILURE
        }
        Err(_) => ExitCode::FAILURE,
    }
}

/// Tells the story of one seed; of the smallest run like it, if it fails.
fn replay(seed: u64) -> ExitCode {
    let plan = Plan::of(seed);
    if run(plan.clone(), false).broken.is_none() {
        let report = run(plan, true);
        tell(&report);
        println!("seed {seed} holds: {} faults, {:?} messages", report.faults, report.messages);
        return ExitCode::SUCCESS;
    }
    let (plan, _) = shrink(plan);
    let report = run(plan.clone(), true);
    tell(&report);
    println!("{plan:?}");
    println!("seed {seed}: {}", report.broken.unwrap_or_default());
    ExitCode::FAILURE
}

fn tell(report: &Report) {
    for line in &report.trace {
        println!("{line}");
    }
}
