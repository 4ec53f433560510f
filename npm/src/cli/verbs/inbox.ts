import type { BaseHost } from "../../common.js";
import { AgentPairError } from "../../errors.js";
import type { FeedItem } from "../../wasm/agentpair.js";
import type { Call } from "../call.js";
import { catchUp } from "../catch-up.js";
import { EXIT } from "../exit.js";
import { endsWait, isNews, itemJson, itemLines, type Names, namesOf } from "../feed-item.js";
import { writeNewFile } from "../files.js";
import { natural, positive } from "../numbers.js";
import { act, type Verb } from "../verb.js";

interface Options {
  since?: number;
  all?: boolean;
  limit: number;
  wait?: number | true;
  follow?: boolean;
  markRead?: boolean;
  whole?: boolean;
  item?: number;
  out?: string;
}

/** How long `--wait` waits unless it is told, in seconds. */
const WAIT_S = 30;
export default {
  summary: "show what came in",
  register(command) {
    command
      .option("--wait [seconds]", `wait until something new comes (${WAIT_S})`, positive)
      .option("--follow", "go on showing what comes, until Ctrl-C")
      .option("--mark-read", "take note of what is shown: the next inbox begins after it, and peers are told")
      .option("--since <number>", "what came after this entry, instead of what is not marked read", natural)
      .option("--all", "everything from the beginning")
      .option("--limit <number>", "show at most this many entries", positive, 100)
      .option("--whole", "do not cut long texts in JSON")
      .option("--item <number>", "this entry only", positive)
      .option("--out <file>", "with --item: write the message's exact text to a file");
    act(command, inbox);
  },
} satisfies Verb;

async function inbox(call: Call, options: Options): Promise<number> {
  const host = await call.host();
  if (options.item !== undefined) return one(call, host, options.item, options);
  const { read } = await host.me();
  const since = options.since ?? (options.all ? 0 : read);
  const show = async (items: readonly FeedItem[]) => {
    const names = namesOf(await host.bonds());
    for (const item of items) tell(call, item, names, options);
    const last = items.at(-1);
    if (options.markRead && last && last.n > read) await host.markRead(last.n);
  };
  if (options.follow) {
    for await (const item of host.events({ since, signal: call.signal })) if (isNews(item)) await show([item]);
    return EXIT.done;
  }
  const seconds = options.wait === true ? WAIT_S : options.wait;
  if (seconds === undefined) await catchUp(call, host);
  const items =
    seconds === undefined
      ? await news(host, since, options.limit)
      : await awaited(call, host, since, options.limit, seconds);
  await show(items);
  if (items.length > 0) return EXIT.done;
  call.say(seconds === undefined ? "Nothing new." : `Nothing came in ${seconds} s.`);
  return seconds === undefined ? EXIT.done : EXIT.undecided;
}

function tell(call: Call, item: FeedItem, names: Names, { whole = false }: Options): void {
  call.print(itemJson(item, names, whole), () => itemLines(item, names));
}

/** One entry: shown, or its text written to a file. */
async function one(call: Call, host: BaseHost, n: number, options: Options): Promise<number> {
  const [item] = await host.feed({ since: n - 1, limit: 1 });
  if (item?.n !== n) throw new AgentPairError("invalid_argument", "caller", `there is no entry ${n}`);
  if (options.out === undefined) {
    tell(call, item, namesOf(await host.bonds()), { ...options, whole: true });
    return EXIT.done;
  }
  const { event } = item;
  if (event.event !== "message") throw new AgentPairError("invalid_argument", "caller", `entry ${n} is no message`);
  writeNewFile(options.out, event.body);
  call.print({ n, file: options.out, bytes: Buffer.byteLength(event.body) }, () => options.out ?? "");
  return EXIT.done;
}

/** News after an entry: waits until there is some. Nothing after that many seconds. */
async function awaited(call: Call, host: BaseHost, since: number, limit: number, seconds: number): Promise<FeedItem[]> {
  const look = async () => {
    const items = await news(host, since, limit);
    return items.some(endsWait) ? items : undefined;
  };
  const options = { timeoutMs: seconds * 1_000, signal: call.signal };
  try {
    return await call.progress("waiting for mail", host.until(look, "mail", options));
  } catch (error) {
    if ((error as AgentPairError).code === "timeout") return [];
    throw error;
  }
}

async function news(host: BaseHost, since: number, limit: number): Promise<FeedItem[]> {
  const found: FeedItem[] = [];
  for (let last = since; found.length < limit; ) {
    const items = await host.feed({ since: last, limit: 256 });
    found.push(...items.filter(isNews));
    last = items.at(-1)?.n ?? last;
    if (items.length < 256) break;
  }
  return found.slice(0, limit);
}
