import type { BaseHost } from "../../common.js";
import { AgentPairError } from "../../errors.js";
import { printable } from "../../host/approval-text.js";
import type { PendingItem } from "../../host/types.js";
import type { Call } from "../call.js";
import { decideHere, digestHead } from "../decide.js";
import { EXIT } from "../exit.js";
import { mustBeTerminal } from "../terminal.js";
import { until } from "../times.js";
import { act, type Verb } from "../verb.js";
import { pendingJson } from "../waiting.js";

interface Options {
  watch?: boolean;
  page?: boolean;
  open?: boolean;
}

const NO_PIN =
  "No PIN is set: whatever runs as you can decide as well, an agent with a shell too. With one it cannot: agentpair pin set";

export default {
  summary: "decide what waits for you",
  register(command) {
    command
      .argument("[id]", "of one question, or its beginning; all that wait unless said otherwise")
      .option("--watch", "stay, and ring when something new waits")
      .option("--page", "decide in a browser on this machine")
      .option("--open", "with --page: open the browser");
    act(command, async (call: Call, id: string | undefined, options: Options) => {
      if (call.json) return list(call, id);
      mustBeTerminal("so that it is you who decides");
      const host = await call.host();
      if ((await host.me()).approver === undefined) call.say(NO_PIN);
      if (options.page) {
        const { servePage } = await import("../approval-page.js");
        return servePage(call, host, options.open ?? false);
      }
      return options.watch ? watch(call, host) : decideAll(call, host, id);
    });
  },
} satisfies Verb;

/** Data, for programs: they see what waits, and decide nothing. */
async function list(call: Call, id: string | undefined): Promise<number> {
  const host = await call.host({ network: false });
  const items = await chosen(host, id);
  const waiting = items.map((item) => ({ ...pendingJson(item), digest: item.digest }));
  call.print({ waiting, pin: (await host.me()).approver !== undefined }, () => []);
  return EXIT.done;
}

/** One question after the other. */
async function decideAll(call: Call, host: BaseHost, id: string | undefined): Promise<number> {
  const items = await chosen(host, id);
  if (items.length === 0) call.say("Nothing waits for you.");
  if (items.length > 1) {
    call.say("", `${items.length} questions wait for you:`, ...items.flatMap(lines));
  }
  let decided = 0;
  for (const item of items) {
    const decision = await decideHere(call, host, item.id);
    if (decision === undefined) continue;
    decided += 1;
    call.print({ pending_id: item.id, decision }, () => `${decision}: ${printable(item.question)}`);
  }
  return decided < items.length ? EXIT.undecided : EXIT.done;
}

/** Until Ctrl-C: every question as it comes. What is put off is shown again by the next call. */
async function watch(call: Call, host: BaseHost): Promise<never> {
  const seen = new Set<string>();
  const next = async () => (await host.pendings()).find(({ id }) => !seen.has(id));
  for (;;) {
    if (!(await next())) call.say("Waiting for questions. Ctrl-C ends it.");
    const item = await host.until(next, "a question", { signal: call.signal });
    seen.add(item.id);
    process.stderr.write("\u0007");
    const decision = await decideHere(call, host, item.id);
    if (decision) call.print({ pending_id: item.id, decision }, () => `${decision}: ${printable(item.question)}`);
  }
}

async function chosen(host: BaseHost, id: string | undefined): Promise<PendingItem[]> {
  const items = await host.pendings();
  if (id === undefined) return items;
  const found = items.filter((item) => item.id === id || (id.length >= 4 && item.id.startsWith(id)));
  if (found.length === 1) return found;
  const text =
    found.length > 1 ? `more than one question begins with ${id}: write more of it` : `no question ${id} waits`;
  throw new AgentPairError("pending_not_found", "policy", text);
}

function lines(item: PendingItem): string[] {
  const about = `${until(item.expiresAt)}, digest ${digestHead(item)}`;
  return [`  ${item.id.slice(0, 8)}  ${printable(item.question)}`, `            ${about}`];
}
