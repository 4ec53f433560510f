// The thread of ./safety-thread.ts.
import { parentPort, workerData } from "node:worker_threads";
import "../load/node.js";
import { safetyNumber } from "./safety.js";

/** What the thread is asked. */
export interface SafetyTask {
  own: string;
  peer: string;
}

/** What it answers. */
export type SafetyAnswer = { number: string[] } | { problem: string };

const { own, peer } = workerData as SafetyTask;
const answer: SafetyAnswer = await safetyNumber(own, peer).then(
  (number) => ({ number }),
  (error) => ({ problem: String(error) }),
);
parentPort?.postMessage(answer);
