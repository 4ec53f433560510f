// Measuring where the machine drifts and is shared: processor time, contestants in turns, medians, and ratios of
// neighbours in time.

const SLICE_US = 40_000;

/** Median of numbers. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Microseconds of processor time that this process has used, its helper threads included. */
function used() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Microseconds of so many calls. */
function slice(call, calls) {
  const start = used();
  for (let n = 0; n < calls; n++) call();
  return used() - start;
}

/** How many calls fill a slice; warms up on the way. */
function calibrate(call) {
  for (let calls = 1; ; calls *= 2) {
    const took = slice(call, calls);
    if (took >= SLICE_US) return Math.max(1, Math.round((calls * SLICE_US) / took));
  }
}

/**
 * Measures the named functions in turns. Gives for each the median of its microseconds, and for each against the
 * last named the median of the ratios (last / it) over the rounds.
 */
export function duel(contestants, rounds = 9) {
  const names = Object.keys(contestants);
  const calls = names.map((name) => calibrate(contestants[name]));
  const times = names.map(() => []);
  for (let round = 0; round < rounds; round++) {
    names.forEach((name, n) => {
      times[n].push(slice(contestants[name], calls[n]) / calls[n]);
    });
  }
  const last = times.at(-1);
  return Object.fromEntries(
    names.map((name, n) => [
      name,
      { us: median(times[n]), ratio: median(times[n].map((us, round) => last[round] / us)) },
    ]),
  );
}
