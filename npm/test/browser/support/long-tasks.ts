import type { Page } from "playwright-core";

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Processor time, in microseconds. */
  tdur?: number;
  args: { name?: string };
}

/** The longest that a page may be kept from everything else, in milliseconds. */
export const LONGEST_MS = 50;

/**
 * Does something, and resolves with the longest piece for which it kept any page from everything else, in milliseconds.
 * Processor time: what others do on a busy machine does not count.
 */
export async function longestTask(page: Page, work: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser();
  if (!browser) throw new Error("no browser to watch");
  await browser.startTracing(page, { categories: ["toplevel"] });
  let trace: Buffer;
  try {
    await work();
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;
  const names = traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const pages = new Set(names.map(threadOf));
  const tasks = traceEvents.filter((event) => event.ph === "X" && pages.has(threadOf(event)));
  if (tasks.length === 0) throw new Error("nothing was traced");
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1_000));
}
