// The worker of ./in-worker.ts: slow work, off the page's thread. It does one task, and is thrown away.
import { asAgentPairError, type Blame } from "../errors.js";
import { approverCommand, type ProveTask, prove } from "../host/pin-work.js";
import type { StoredRecord } from "../store/store.js";
import { initSync, safetyNumber, stretch } from "../wasm/agentpair.js";

/** What the worker is asked. */
export type Task =
  | { task: "safety"; own: string; peer: string }
  | { task: "stretch"; passphrase: string; salt: Uint8Array }
  | ({ task: "prove"; records: StoredRecord[] } & ProveTask)
  | { task: "approver"; records: StoredRecord[]; pin: string | undefined; current: string | undefined };

/** What it answers. */
export type Answer = { done: unknown } | { problem: { code: string; blame: Blame; message: string } };

function run(task: Task): unknown {
  switch (task.task) {
    case "safety":
      return safetyNumber(task.own, task.peer);
    case "stretch":
      return stretch(task.passphrase, task.salt);
    case "prove":
      return prove(task.records, task);
    case "approver":
      return approverCommand(task.records, task.pin, task.current);
  }
}

addEventListener("message", ({ data }: MessageEvent<{ core: WebAssembly.Module; task: Task }>) => {
  let answer: Answer;
  try {
    initSync({ module: data.core });
    answer = { done: run(data.task) };
  } catch (error) {
    const { code, blame, message } = asAgentPairError(error);
    answer = { problem: { code, blame, message } };
  }
  postMessage(answer);
});
