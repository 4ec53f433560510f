import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { launch } from "../support/chromium.ts";
import { crash, profile, tab } from "./support/chrome.ts";
import { Site } from "./support/site.ts";

/** One of each for all tests of this file. */
const site = await Site.start({ after });
const browser = await launch({ after });

/** Adds to a counter and to a log, in one transaction each. */
async function countIn(page: Page, times: number): Promise<void> {
  await page.evaluate(async (times) => {
    const { IndexedDbStore, init } = globalThis.agentpair;
    await init();
    const store = await IndexedDbStore.open("counting");
    for (let n = 0; n < times; n++) {
      await store.transact(0, (transaction) => {
        const last = Number(transaction.changes.find(({ key }) => key === "n/count")?.value ?? 0);
        const value = String(last + 1);
        transaction.write([{ key: "n/count", value }], [{ log: "feed", n: last + 1, value }]);
      });
      console.log(`count ${n + 1}`);
    }
    await store.close();
  }, times);
}

function counted(page: Page): Promise<{ count: number; numbers: number[] }> {
  return page.evaluate(async () => {
    const { IndexedDbStore, init } = globalThis.agentpair;
    await init();
    const store = await IndexedDbStore.open("counting");
    const records = await store.transact(0, ({ changes }) => changes);
    const entries = await store.entries("feed", 0, 1_000_000);
    await store.close();
    const count = Number(records.find(({ key }) => key === "n/count")?.value ?? 0);
    return { count, numbers: entries.map(({ n }) => n) };
  });
}

test("many tabs make one store at the same time, add to one counter, and nothing is lost", async (t) => {
  const context = await profile(t, browser);
  const tabs = await Promise.all([1, 2, 3, 4].map(() => tab(context, site.origin)));
  await Promise.all(tabs.map((page) => countIn(page, 50)));
  const { count, numbers } = await counted(tabs[0] as Page);
  assert.equal(count, 200);
  assert.deepEqual(
    numbers,
    Array.from({ length: 200 }, (_, n) => n + 1),
  );
});

test("what was durable survives a crash of the tab", async (t) => {
  const context = await profile(t, browser);
  const page = await tab(context, site.origin);
  let told = 0;
  const enough = new Promise<void>((resolve) => {
    page.on("console", (message) => {
      const [, n] = /^count (\d+)$/.exec(message.text()) ?? [];
      told = Math.max(told, Number(n ?? 0));
      if (told >= 30) resolve();
    });
  });
  // It ends with the tab.
  const running = countIn(page, 1_000_000).catch(() => {});
  await enough;
  await crash(page);
  await running;
  const { count, numbers } = await counted(await tab(context, site.origin));
  assert.ok(count >= told, `${count} of ${told}`);
  assert.equal(numbers.length, count, "records and logs go together");
});

test("a store keeps the promises of its interface", async (t) => {
  const page = await tab(await profile(t, browser), site.origin);
  const found = await page.evaluate(async () => {
    const { IndexedDbStore, init } = globalThis.agentpair;
    await init();
    const [one, other] = [await IndexedDbStore.open("a"), await IndexedDbStore.open("a")];
    type Records = { key: string; value: string | undefined }[];
    const write = (records: Records) =>
      one.transact(0, (transaction) => {
        transaction.write(records, []);
        return transaction.revision;
      });
    const since = (revision: number | undefined) =>
      one.transact(revision, ({ changes, isWhole }) => ({ changes, isWhole }));
    const versions = [await one.version(), await other.version()];
    const first = await write([
      { key: "a/1", value: "1" },
      { key: "a/2", value: "2" },
    ]);
    versions.push(await one.version(), await other.version());
    const second = await write([
      { key: "a/1", value: undefined },
      { key: "a/3", value: "3" },
    ]);
    const failed = await one
      .transact(0, (transaction) => {
        transaction.write([{ key: "a/4", value: "4" }], [{ log: "feed", n: 1, value: "1" }]);
        transaction.setLease({ owner: "nobody", until: 1 });
        throw new Error("no");
      })
      .catch(String);
    const twice = await one
      .transact(0, (transaction) => {
        const entry = { log: "feed", n: 1, value: "1" } as const;
        transaction.write([{ key: "a/5", value: "5" }], [entry, entry]);
      })
      .catch(({ code }) => code);
    const looked = [await since(first), await since(second), await since(0), await since(99), await since(undefined)];
    const issued = [
      await one.transact(undefined, (transaction) => transaction.issue("p")).then(() => "issued"),
      await other.transact(undefined, (transaction) => transaction.issued("p")),
      await other.transact(undefined, (transaction) => transaction.withdraw("p")).then(() => "withdrawn"),
      await one.transact(undefined, (transaction) => transaction.issued("p")),
    ];
    const lease = { owner: one.self, until: 5 };
    await one.transact(undefined, (transaction) => transaction.setLease(lease));
    const leases = [await other.transact(undefined, (transaction) => transaction.lease)];
    await one.transact(undefined, (transaction) => transaction.setLease(undefined));
    leases.push(await other.transact(undefined, (transaction) => transaction.lease));
    await one.transact(undefined, (transaction) => {
      const entries = [1, 2, 3].map((n) => ({ log: "audit", n, value: `${n}` }) as const);
      transaction.write([], [...entries, { log: "feed", n: 1, value: "f" }]);
    });
    const entries = [
      await other.entries("audit", 1, 1),
      await other.entries("audit", 0, 9),
      await other.entries("feed", 0, 9),
    ];
    const self = one.self;
    await one.close();
    await other.close();
    return { versions, first, second, failed, twice, looked, issued, leases, entries, self };
  });
  const { versions, first, second, looked } = found;
  assert.equal(versions[2], versions[0], "own writes do not count");
  assert.notEqual(versions[3], versions[1], "those of others do");
  assert.ok(second > first);
  assert.equal(found.failed, "Error: no");
  assert.equal(found.twice, "store_corrupt");
  const changed = [
    { key: "a/1", value: undefined },
    { key: "a/3", value: "3" },
  ];
  const live = [
    { key: "a/2", value: "2" },
    { key: "a/3", value: "3" },
  ];
  assert.deepEqual(looked, [
    { isWhole: false, changes: changed },
    { isWhole: false, changes: [] },
    { isWhole: true, changes: live },
    { isWhole: true, changes: live },
    { isWhole: false, changes: [] },
  ]);
  assert.deepEqual(found.issued, ["issued", second + 1, "withdrawn", undefined]);
  assert.deepEqual(found.leases, [{ owner: found.self, until: 5 }, undefined]);
  assert.deepEqual(found.entries, [
    [{ log: "audit", n: 2, value: "2" }],
    [1, 2, 3].map((n) => ({ log: "audit", n, value: `${n}` })),
    [{ log: "feed", n: 1, value: "f" }],
  ]);
});

test("traces of many deleted records go, and whoever saw less starts from all", async (t) => {
  const page = await tab(await profile(t, browser), site.origin);
  const found = await page.evaluate(async () => {
    const { IndexedDbStore, init } = globalThis.agentpair;
    await init();
    const store = await IndexedDbStore.open("a");
    const keys = Array.from({ length: 1_200 }, (_, n) => `a/${n}`);
    const write = (value: string | undefined) =>
      store.transact(undefined, (transaction) => {
        transaction.write(
          keys.map((key) => ({ key, value })),
          [],
        );
        return transaction.revision;
      });
    const first = await write("1");
    const second = await write(undefined);
    await store.transact(undefined, (transaction) => transaction.write([{ key: "b/1", value: "1" }], []));
    const before = await store.transact(first, ({ changes, isWhole }) => [changes.length, isWhole]);
    await store.close();
    const again = await IndexedDbStore.open("a");
    const look = (since: number) => again.transact(since, ({ changes, isWhole }) => [changes.length, isWhole]);
    const afterwards = [await look(first), await look(second + 1)];
    await again.close();
    return [before, ...afterwards];
  });
  assert.deepEqual(found, [
    [1_201, false],
    [1, true],
    [0, false],
  ]);
});

test("whether others have written is asked without waiting for who reads or writes anything else", async (t) => {
  const page = await tab(await profile(t, browser), site.origin);
  const isFree = await page.evaluate(async () => {
    const { IndexedDbStore, init } = globalThis.agentpair;
    await init();
    const store = await IndexedDbStore.open("a");
    const database = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open("a");
      request.onsuccess = () => resolve(request.result);
    });
    const busy = database.transaction(["records", "log", "issued"], "readwrite");
    let isBusy = true;
    // A transaction lasts as long as something is asked of it.
    const goOn = () => {
      if (isBusy) busy.objectStore("log").count().onsuccess = goOn;
    };
    goOn();
    const late = new Promise((resolve) => setTimeout(resolve, 5_000, "late"));
    const asked = await Promise.race([store.version(), late]);
    isBusy = false;
    database.close();
    await store.close();
    return asked !== "late";
  });
  assert.ok(isFree);
});

test("a tab that is about to open a store does not keep another from wiping it", async (t) => {
  const page = await tab(await profile(t, browser), site.origin);
  const found = await page.evaluate(async () => {
    const { Host, IndexedDbStore, wipe } = globalThis.agentpair;
    await (await Host.open({ network: false })).close();
    // The browser takes its time to give this tab its name.
    const request = navigator.locks.request.bind(navigator.locks) as (...all: unknown[]) => Promise<unknown>;
    let goOn = () => {};
    const pause = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const asked = new Promise<void>((resolve) => {
      Object.assign(navigator.locks, {
        request: async (...all: unknown[]) => {
          resolve();
          await pause;
          return request(...all);
        },
      });
    });
    const opening = IndexedDbStore.open("agentpair");
    await asked;
    const late = new Promise((resolve) => setTimeout(resolve, 5_000, "late"));
    const wiped = await Promise.race([wipe().then(() => "wiped"), late]);
    goOn();
    await (await opening).close();
    return wiped;
  });
  assert.equal(found, "wiped");
});

/** What can be wrong with a database, done to the rows of a host that is closed. */
const DAMAGES: { [name: string]: string } = {
  "the vault's row is gone": `stores.meta.delete("vault")`,
  "the wrapping key is another one": `put(stores.meta, "vault", (row) => ({ ...row, wrapping: other }))`,
  "the wrapping key is gone": `put(stores.meta, "vault", ({ wrapping, ...row }) => row)`,
  "the sealed key was altered": `put(stores.meta, "vault", (row) => ({ ...row, box: flipped(row.box) }))`,
  "the counters are gone": `stores.meta.delete("counters")`,
  "a record that is no JSON": `put(stores.records, "host/root", (row) => ({ ...row, value: row.value.slice(1) }), true)`,
  "a record that was removed": `stores.records.delete("host/root")`,
  "a key in the clear": `put(stores.records, "secret/root", (row) => ({ ...row, value: "{}" }), true)`,
};

/** One page for all damages: each is done to a store of its own. */
const damaged = await tab(await profile({ after }, browser), site.origin, DAMAGES);

for (const name of Object.keys(DAMAGES)) {
  test(`a damaged store is refused in words, and nothing is overwritten: ${name}`, async () => {
    const found = await damaged.evaluate(async (name) => {
      const { Host } = globalThis.agentpair;
      await (await Host.open({ name, network: false })).close();
      const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      const database = await resultOf(indexedDB.open(name));
      const other = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
      const transaction = database.transaction(["meta", "records"], "readwrite");
      const stores = { meta: transaction.objectStore("meta"), records: transaction.objectStore("records") };
      const put = async (store: IDBObjectStore, key: string, change: (row: object) => object, isInline = false) => {
        const changed = change(await resultOf(store.get(key)));
        if (isInline) store.put(changed);
        else store.put(changed, key);
      };
      const bytes = (box: ArrayBuffer) => Array.from(new Uint8Array(box));
      const flipped = (box: ArrayBuffer) => Uint8Array.from(bytes(box), (byte, n) => (n === 3 ? byte ^ 1 : byte));
      globalThis.extras[name]?.(stores, put, flipped, other);
      await new Promise((resolve) => {
        transaction.oncomplete = resolve;
      });
      const rows = async () => {
        const looking = database.transaction(["meta", "records"]);
        const of = (store: string) => resultOf(looking.objectStore(store).getAll());
        const plain = (_: string, value: unknown) => (value instanceof ArrayBuffer ? bytes(value) : value);
        return JSON.stringify([await of("meta"), await of("records")], plain);
      };
      const before = await rows();
      const errors: { code: string; message: string }[] = [];
      for (let attempt = 0; attempt < 2; attempt++) {
        const opening = Host.open({ name, network: false }).then(() => ({ code: "none", message: "" }));
        errors.push(await opening.catch(({ code, message }) => ({ code, message })));
      }
      const isUntouched = before === (await rows());
      database.close();
      return { errors, isUntouched, exists: await Host.exists(name) };
    }, name);
    for (const { code, message } of found.errors) {
      assert.equal(code, "store_corrupt", message);
      assert.match(message, /^the store ".+" is damaged \(.+\): nothing was changed; wipe it and restore/);
    }
    assert.ok(found.isUntouched);
    assert.ok(found.exists);
  });
}

test("another program's database, and one of a newer version, are refused and left alone", async (t) => {
  const page = await tab(await profile(t, browser), site.origin);
  const found = await page.evaluate(async () => {
    const { Host, wipe } = globalThis.agentpair;
    const make = (name: string, version: number, stores: string[]) =>
      new Promise<void>((resolve) => {
        const request = indexedDB.open(name, version);
        request.onupgradeneeded = () => {
          for (const store of stores) request.result.createObjectStore(store);
        };
        request.onsuccess = () => {
          request.result.close();
          resolve();
        };
      });
    await make("songs", 1, ["titles"]);
    await make("newer", 99, ["meta", "records", "log", "issued", "more"]);
    const codeOf = (work: Promise<unknown>) =>
      work.then(
        () => "none",
        ({ code }) => code,
      );
    const codes = [];
    for (const name of ["songs", "newer"]) codes.push(await codeOf(Host.open({ name, network: false })));
    codes.push(await codeOf(wipe("songs")), await codeOf(wipe("nothing")), await Host.exists("nothing"));
    const names = (await indexedDB.databases()).map(({ name }) => name).sort();
    return { codes, names };
  });
  assert.deepEqual(found.codes, ["store_corrupt", "store_too_new", "not_ours", "no_store", false]);
  assert.deepEqual(found.names, ["newer", "songs"]);
});
