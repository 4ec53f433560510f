// Adds to a counter in a shared store: `counting.ts DIRECTORY TIMES`. Tells each number once it is durable.
import { SqliteStore } from "agentpair";

const [directory = "", times = "0"] = process.argv.slice(2);
const store = await SqliteStore.open(directory);
let seen = 0;
let count = 0;
for (let n = 0; n < Number(times); n++) {
  await store.transact(seen, (transaction) => {
    for (const { key, value } of transaction.changes) if (key === "n/count") count = Number(value);
    count += 1;
    transaction.write(
      [{ key: "n/count", value: String(count) }],
      [{ log: "feed", n: count, value: `"${process.pid}"` }],
    );
    seen = transaction.revision;
  });
  process.send?.(count);
}
await store.close();
process.disconnect?.();
