//! Native times of what `npm/bench` measures in wasm. A harness of its own: rounds in turns, medians, no statistics
//! that a drifting machine would make meaningless, and nothing to compile.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench that panics has failed")]
#![allow(clippy::disallowed_methods, reason = "a bench reads the clock")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use agentpair_protocol::envelope::{Decoded, Draft, PairKey, SealFault, seal_with_nonce};
use agentpair_protocol::identity::Keypair;
use agentpair_protocol::pairing::spake::{Role, Spake};
use agentpair_protocol::safety::safety_number;
use agentpair_protocol::secret::{Secret, SecretText};

const ROUNDS: usize = 7;
const SLICE: Duration = Duration::from_millis(40);
const NOW_S: u64 = 1_767_200_000;

struct Pair {
    alice: Keypair,
    bob: Keypair,
    key: PairKey,
}

impl Pair {
    fn new() -> Self {
        let (alice, bob) = (Keypair::from_seed([1; 32]), Keypair::from_seed([2; 32]));
        let key = PairKey::derive(&alice, bob.agent_id()).unwrap();
        Self { alice, bob, key }
    }

    fn seal(&self, plaintext: &[u8]) -> Result<Vec<u8>, SealFault> {
        let draft = Draft {
            from: &self.alice,
            to: self.bob.agent_id(),
            id: "00000000-0000-4000-8000-000000000000",
            kind: "core.msg",
            thread: "550e8400-e29b-41d4-a716-446655440000",
            seq: 1,
            ttl: NOW_S + 3_600,
            stamp: None,
            plaintext,
        };
        seal_with_nonce(&draft, &self.key, &[7; 24])
    }

    fn open(&self, wire: &[u8]) -> Vec<u8> {
        let opened = Decoded::from_wire(wire)
            .and_then(|envelope| envelope.bonded(Some(self.alice.agent_id()))?.authentic())
            .and_then(|envelope| envelope.routed(self.bob.agent_id())?.fresh(0, NOW_S)?.open(&self.key));
        opened.unwrap().into_parts().1
    }

    /// The largest plaintext, up to `wanted` bytes, that fits an envelope.
    fn largest(&self, wanted: usize) -> usize {
        let text = vec![b'x'; wanted];
        let (mut low, mut high) = (0, wanted + 1);
        while high - low > 1 {
            let middle = usize::midpoint(low, high);
            if self.seal(&text[..middle]).is_ok() { low = middle } else { high = middle }
        }
        low
    }
}

/// Both sides of a key agreement.
fn exchange() {
    let code = SecretText::new("42-kancil-senja-biru".to_owned());
    let start = |role, seed| Spake::start(role, &code, "s", &Secret::new([seed; 32])).unwrap();
    let (a, b) = (start(Role::Initiator, 1), start(Role::Joiner, 2));
    let (from_a, from_b) = (*a.message(), *b.message());
    assert_eq!(a.finish(&from_b).unwrap(), b.finish(&from_a).unwrap());
}

fn time(call: &dyn Fn(), calls: u32) -> Duration {
    let start = Instant::now();
    (0..calls).for_each(|_| call());
    start.elapsed()
}

/// How many calls fill a slice; warms up on the way.
fn calibrate(call: &dyn Fn()) -> u32 {
    let mut calls = 1;
    while time(call, calls) < SLICE {
        calls *= 2;
    }
    calls
}

fn main() {
    let pair = Pair::new();
    // 46,080 bytes do not fit a wire of 65,536: base64 goes over them twice. The largest text that fits stands in.
    let texts = [64, 1_024, 16_384, 46_080].map(|size| vec![b'x'; pair.largest(size)]);
    let mut rows: Vec<(String, Box<dyn Fn()>)> = Vec::new();
    for text in &texts {
        let (pair, size, wire) = (&pair, text.len(), pair.seal(text).unwrap());
        let signature = pair.alice.sign(text);
        rows.push((format!("seal {size}"), Box::new(move || drop(black_box(pair.seal(black_box(text)))))));
        rows.push((format!("open {size}"), Box::new(move || drop(black_box(pair.open(black_box(&wire)))))));
        rows.push((
            format!("verify {size}"),
            Box::new(move || pair.alice.agent_id().verify(black_box(text), &signature).unwrap()),
        ));
    }
    let (alice, bob) = (&pair.alice, &pair.bob);
    rows.push(("derive a pair key".to_owned(), Box::new(|| drop(black_box(PairKey::derive(alice, bob.agent_id()))))));
    rows.push(("SPAKE2, both sides".to_owned(), Box::new(exchange)));
    rows.push((
        "safety number".to_owned(),
        Box::new(|| drop(black_box(safety_number(alice.agent_id(), bob.agent_id())))),
    ));

    let calls: Vec<u32> = rows.iter().map(|(_, call)| calibrate(call)).collect();
    let mut times = vec![Vec::new(); rows.len()];
    for _ in 0..ROUNDS {
        for (n, (_, call)) in rows.iter().enumerate() {
            times[n].push(time(call, calls[n]) / calls[n]);
        }
    }
    println!("native, microseconds of one call by the clock (median of {ROUNDS} alternated rounds)");
    for ((name, _), times) in rows.iter().zip(&mut times) {
        times.sort_unstable();
        println!("{name:20} {:>12.1}", times[ROUNDS / 2].as_secs_f64() * 1e6);
    }
}
