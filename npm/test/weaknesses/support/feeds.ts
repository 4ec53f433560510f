import type { BaseHost, Event } from "agentpair";

type Named<N extends Event["event"]> = Extract<Event, { event: N }>;

/** All events of a kind in a host's feed so far. */
export async function eventsOf<N extends Event["event"]>(host: BaseHost, name: N): Promise<Named<N>[]> {
  const found: Named<N>[] = [];
  for (let since = 0; ; ) {
    const items = await host.feed({ since, limit: 1_000 });
    const last = items.at(-1);
    if (!last) return found;
    since = last.n;
    for (const { event } of items) if (event.event === name) found.push(event as Named<N>);
  }
}

/** Waits until a host's feed has such an event. */
export function heard<N extends Event["event"]>(
  host: BaseHost,
  name: N,
  is: (event: Named<N>) => boolean,
  timeoutMs = 60_000,
): Promise<Named<N>> {
  const look = async () => (await eventsOf(host, name)).find(is);
  return host.until(look, `an event: ${name}`, { timeoutMs });
}

/** The texts of the messages on a thread. */
export async function said(host: BaseHost, thread?: string): Promise<string[]> {
  const all = await eventsOf(host, "message");
  return all.filter((event) => thread === undefined || event.thread === thread).map(({ body }) => body);
}
