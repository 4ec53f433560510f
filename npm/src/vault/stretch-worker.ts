// The thread of ./stretch.ts.
import { parentPort, workerData } from "node:worker_threads";
import "../load/node.js";
import { stretch } from "../wasm/agentpair.js";

/** What the thread is asked. */
export interface StretchTask {
  passphrase: string;
  salt: Uint8Array;
}

/** What it answers. */
export type StretchAnswer = { key: Uint8Array } | { problem: string };

function answer(): StretchAnswer {
  try {
    const { passphrase, salt } = workerData as StretchTask;
    return { key: stretch(passphrase, salt) };
  } catch (error) {
    return { problem: String(error) };
  }
}

parentPort?.postMessage(answer());
