import * as z from "zod";
import { AgentPairError } from "../../node.js";
import { hash, threadName } from "../schemas.js";
import { tool } from "../tool.js";

/** Says that there are no acceptance tests. */
export const atestRun = tool({
  name: "atest_run",
  title: "Run an acceptance test",
  description: `Nothing that a peer names is ever run here.
Acceptance tests are not in this version: it always answers not_available. Judge the criterion yourself, and tell your human how.`,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    thread: threadName.describe("The session's thread."),
    criterion_id: z.string().min(1).max(128),
    artifact_hash: hash,
  }),
  fields: {},
  async run() {
    const text = "acceptance tests are not in this version: judge the criterion yourself, and tell your human how";
    throw new AgentPairError("not_available", "policy", text);
  },
});
