// Child processes that do not outlive the script that starts them.
import { once } from "node:events";

const running = new Set();

/** Notes a child, so that `stopAll` ends it. */
export function keep(child) {
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** Ends whatever still runs: asks first, and makes it after `patienceMs`. */
export async function stopAll(patienceMs) {
  await Promise.all(
    [...running].map(async (child) => {
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      const force = setTimeout(() => child.kill("SIGKILL"), patienceMs);
      await gone;
      clearTimeout(force);
    }),
  );
}
