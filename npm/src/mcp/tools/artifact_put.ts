import * as z from "zod";
import { tool } from "../tool.js";

/** Keeps a text for a later turn. */
export const artifactPut = tool({
  name: "artifact_put",
  title: "Keep a text for a turn",
  description: `Put only texts here that your human would let the other side read.
Keeps a text in this server process until a session_msg puts it forward by its hash, and tells that hash. Nothing is uploaded or sent. 1 MiB at most.`,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ content: z.string().describe("The exact text: Unicode NFC, line feeds.") }),
  fields: { artifact_hash: z.string(), bytes: z.int() },
  async run({ state }, { content }) {
    const { sha256, bytes } = state.artifacts.put(content);
    return {
      artifact_hash: sha256,
      bytes,
      suggested_next: "Put it forward: session_msg with deliverable.artifact_hash.",
    };
  },
});
