import { AgentPairError } from "../errors.js";
import { compiled } from "./browser.js";
import type { Answer, Task } from "./web-worker.js";

/** The longest that any task takes on any device, in milliseconds: what has not answered then has died. */
const LONGEST_MS = 120_000;

/** No worker could be had, or it died: the browser does not allow it, or lacks the memory. */
export class NoWorker extends Error {}

/**
 * Does slow work in a Web Worker that is thrown away: the page goes on, and the memory is given back. The worker gets
 * the core that the page has compiled.
 *
 * @throws NoWorker, and the AgentPairError of the task.
 */
export async function inWorker<T>(task: Task): Promise<T> {
  const core = await compiled();
  let worker: Worker | undefined;
  try {
    worker = new Worker(new URL("./web-worker.js", import.meta.url), { type: "module" });
    const answer = await answered(worker, { core, task });
    if ("done" in answer) return answer.done as T;
    const { code, blame, message } = answer.problem;
    // Nothing of the page is hurt by what breaks there.
    if (blame === "bug") throw new Error(message);
    throw new AgentPairError(code, blame, message);
  } catch (cause) {
    if (cause instanceof AgentPairError) throw cause;
    throw new NoWorker("no worker", { cause });
  } finally {
    worker?.terminate();
  }
}

function answered(worker: Worker, question: { core: WebAssembly.Module; task: Task }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data);
    worker.onmessageerror = () => reject(new Error("the answer cannot be read"));
    worker.onerror = ({ message }) => reject(new Error(message || "the worker does not start"));
    AbortSignal.timeout(LONGEST_MS).onabort = () => reject(new Error("the worker does not answer"));
    worker.postMessage(question);
  });
}
