import type { Owner } from "./run.ts";

// biome-ignore lint/suspicious/noExplicitAny: what is in there is asserted by the tests.
type Item = any;

/** Waits, by the command line, until there is such an entry in an inbox. Resolves with it. */
export async function found(owner: Owner, is: (item: Item) => boolean): Promise<Item> {
  for (let since = 0; ; ) {
    const items = await owner.json(["inbox", "--since", String(since), "--wait", "30"]);
    const item = items.find(is);
    if (item) return item;
    since = items.at(-1).n;
  }
}
