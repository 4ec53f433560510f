import { createHash } from "node:crypto";
import { AgentPairError, type BaseHost } from "../node.js";
import { peerTextCap } from "./cap.js";
import { Said } from "./loop.js";

/** How long things take. */
export interface Times {
  /** How long a form waits for the human, in milliseconds. */
  formMs: number;
  /** How often a waiting call tells that it waits, in milliseconds. */
  progressMs: number;
}

/** What one server process remembers between calls. It goes with the process, and nothing that lasts depends on it. */
export class State {
  readonly host: BaseHost;
  readonly times: Times;
  /** Bytes of a peer's text that are shown at once. */
  readonly cap: number;
  /** The feed up to this entry was handed over; it is marked as read when the agent comes again. */
  handed = 0;
  /** Questions to the human that the last result told of. */
  told: ReadonlySet<string> = new Set();
  /** Pairings by the codes that were made here. */
  readonly codes = new Map<string, string>();
  /** The pairing that was begun here last. */
  pairing: string | undefined;
  readonly said = new Said();
  readonly artifacts = new Artifacts();

  constructor(host: BaseHost, times: Partial<Times> = {}) {
    this.host = host;
    this.times = { formMs: 5 * 60_000, progressMs: 5_000, ...times };
    this.cap = peerTextCap();
  }
}

/** Longest text of a deliverable, in bytes. */
const ARTIFACT_BYTES = 1024 * 1024;
/** Bytes of all texts that are kept. */
const KEPT_BYTES = 16 * ARTIFACT_BYTES;

/** Texts that were put here for a later turn. The oldest go first. */
export class Artifacts {
  readonly #texts = new Map<string, string>();
  #bytes = 0;

  /** Keeps a text. @throws AgentPairError `invalid_argument`, `payload_too_large`. */
  put(text: string): { sha256: string; bytes: number } {
    const bytes = Buffer.byteLength(text);
    if (bytes === 0) throw new AgentPairError("invalid_argument", "caller", "the content must not be empty");
    if (bytes > ARTIFACT_BYTES) {
      throw new AgentPairError("payload_too_large", "policy", "keep it below 1 MiB: a human has to read it");
    }
    const sha256 = createHash("sha256").update(text).digest("hex");
    this.#forget(sha256);
    this.#texts.set(sha256, text);
    this.#bytes += bytes;
    for (const oldest of this.#texts.keys()) {
      if (this.#bytes <= KEPT_BYTES) break;
      this.#forget(oldest);
    }
    return { sha256, bytes };
  }

  /** A text by its SHA-256. @throws AgentPairError `artifact_not_found`. */
  get(sha256: string): string {
    const text = this.#texts.get(sha256);
    if (text !== undefined) return text;
    const advice = "this server process holds no text with that hash: give it to artifact_put, or as `text`";
    throw new AgentPairError("artifact_not_found", "policy", advice);
  }

  #forget(sha256: string): void {
    const text = this.#texts.get(sha256);
    if (text === undefined) return;
    this.#texts.delete(sha256);
    this.#bytes -= Buffer.byteLength(text);
  }
}
