// The relay as a process: started, stopped, killed. What was answered 204 is there afterwards.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { Agent, Client, inParallel, Live, pairOf, until, useRelay, within } from "./kit.mjs";
import { crash, isLinux, workerds } from "./processes.mjs";

describe("workerd killed without warning", { skip: !isLinux }, () => {
  const relay = useRelay();

  it("loses nothing that it had answered", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const host = new Agent();
    await client.allow(host, [recipient], { version: 5 });
    await client.post("/pair/crash", "a message");
    const { epoch } = await client.pull(recipient);
    const live = await Live.open(client, recipient);

    // Posts go on while it dies: each was either answered, and then is there, or can be sent again.
    const wires = Array.from({ length: 60 }, (_, seq) => sender.envelope(recipient, { seq: seq + 1 }));
    const answered = [];
    let killed = false;
    const [pid, ...others] = workerds(process.pid);
    assert.deepEqual(others, [], "one workerd");
    const posting = inParallel(
      4,
      wires.map((wire) => async () => {
        try {
          if ((await client.deliver(recipient, wire)).status === 204) answered.push(wire);
        } catch {
          // The connection broke.
        }
        if (answered.length >= 10 && !killed) killed = process.kill(pid, "SIGKILL");
      }),
    );
    await within(posting, "posts hang when workerd dies");
    await within(live.closed, "the stream does not notice");
    assert.ok(answered.length >= 10);

    await until(async () => {
      try {
        return (await client.get("/health")).status === 200;
      } catch {
        return false;
      }
    }, "it does not come back");
    assert.notEqual(workerds(process.pid)[0], pid);

    const first = await client.pull(recipient);
    assert.equal(first.epoch, epoch);
    const stored = first.envelopes.map((envelope) => JSON.stringify(envelope));
    for (const wire of answered) assert.ok(stored.includes(wire), "an answered envelope is missing");
    for (const wire of wires) assert.equal((await client.deliver(recipient, wire)).status, 204);
    const all = await client.pull(recipient);
    assert.equal(all.envelopes.length, wires.length, "each is there once");
    assert.deepEqual(
      all.rowids,
      [...all.rowids].sort((a, b) => a - b),
    );

    assert.equal((await client.get("/pair/crash")).text, "a message");
    assert.equal((await client.put(`/allowlist/${host.id}`, host.allowlist([], { version: 4 }))).status, 409);
  });

  it("again and again in a stream of posts, each is kept once, in rows that rise", async () => {
    const { client } = relay;
    const recipient = new Agent();
    const senders = Array.from({ length: 3 }, () => new Agent());
    await client.allow(recipient, senders);
    const wires = senders.map((sender) =>
      Array.from({ length: 150 }, (_, seq) => sender.envelope(recipient, { seq: seq + 1 })),
    );
    const all = wires.flat();

    // Each sender posts one after the other, and repeats what was not answered.
    let answered = 0;
    const posting = wires.map(async (mine) => {
      for (const wire of mine) {
        const isAnswered = async () => (await client.deliver(recipient, wire).catch(() => ({}))).status === 204;
        await until(isAnswered, "the relay does not take it");
        answered += 1;
      }
    });
    // The reader acknowledges each row, and goes on after the last one that it has.
    const rows = [];
    const read = async (live) => {
      for (await live.next(); rows.length < all.length; ) {
        rows.push(await live.next());
        live.ack(rows.at(-1).rowid);
      }
    };
    const reading = (async () => {
      while (rows.length < all.length) {
        const live = await Live.open(client, recipient, rows.at(-1)?.rowid ?? 0).catch(() => {});
        if (live) await Promise.race([live.closed, read(live).catch(() => {})]);
        await live?.close();
      }
    })();
    for (const count of [40, 130, 131, 300]) {
      await until(() => answered >= count, "the posts stand still");
      await crash(relay);
    }
    await Promise.all(posting);
    await within(reading, "not all is read");

    const [ids, texts] = [rows.map(({ rowid }) => rowid), rows.map(({ envelope }) => JSON.stringify(envelope))];
    assert.ok(ids.every((id, n) => n === 0 || id > ids[n - 1]));
    for (const mine of wires) {
      assert.deepEqual(
        texts.filter((text) => mine.includes(text)),
        mine,
      );
    }
    assert.equal(texts.length, all.length);
    // A late repetition is known again.
    const late = await inParallel(
      8,
      all.map((wire) => () => client.deliver(recipient, wire)),
    );
    assert.ok(late.every(({ status }) => status === 204));
    const { rowids } = await client.pull(recipient, `since=${ids.at(-1)}`);
    assert.deepEqual(rowids, []);
  });
});

describe("the relay in the foreground", { skip: !isLinux }, () => {
  const script = resolve(import.meta.dirname, "../../scripts/relay.mjs");
  let data;
  const running = new Set();
  before(() => {
    data = mkdtempSync(join(tmpdir(), "agentpair-relay-"));
  });
  after(() => {
    for (const child of running) child.kill("SIGKILL");
    rmSync(data, { recursive: true, force: true });
  });

  /** Starts it; resolves with its first line, or its error and exit code. */
  function run(flags = [], env = {}) {
    const child = spawn(process.execPath, [script, ...flags], {
      env: { ...process.env, PORT: "0", DATA: data, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    let [out, err] = ["", ""];
    child.exited = new Promise((done) =>
      child.on("exit", (code, signal) => {
        running.delete(child);
        done({ code, signal, out, err });
      }),
    );
    child.line = new Promise((done) =>
      child.stdout.on("data", (chunk) => {
        out += chunk;
        if (out.includes("\n")) done(out);
      }),
    );
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    return child;
  }

  async function ready(child) {
    const line = await within(Promise.race([child.line, child.exited]), "it does not start");
    assert.match(line, /^AgentPair relay: http:\/\/127\.0\.0\.1:\d+\n$/, JSON.stringify(line));
    return new Client(line.trim().split(" ").at(-1));
  }

  for (const signal of ["SIGTERM", "SIGINT"]) {
    it(`keeps its data, and leaves no process behind on ${signal}`, async () => {
      const { sender, recipient } = { sender: new Agent(), recipient: new Agent() };
      const wire = sender.envelope(recipient);
      for (let round = 0; round < 2; round += 1) {
        const child = run();
        const client = await ready(child);
        if (round === 0) {
          await client.allow(recipient, [sender]);
          assert.equal((await client.deliver(recipient, wire)).status, 204);
        } else {
          assert.deepEqual((await client.pull(recipient)).envelopes, [JSON.parse(wire)]);
        }
        const [workerd] = workerds(child.pid);
        assert.ok(workerd > 0);
        child.kill(signal);
        const { code, out, err } = await within(child.exited, "it does not stop");
        assert.deepEqual([code, err], [0, ""]);
        assert.equal(out.split("\n").length, 2, "one line");
        assert.ok(!existsSync(`/proc/${workerd}`) || readFileSync(`/proc/${workerd}/stat`, "utf8").includes(") Z "));
        await assert.rejects(client.get("/health"));
        assert.ok(!existsSync(join(data, "lock")));
      }
    });
  }

  it("makes its key once, for its owner's eyes", async () => {
    const keys = [];
    for (let round = 0; round < 2; round += 1) {
      const child = run();
      await ready(child);
      keys.push(readFileSync(join(data, "challenge-key"), "utf8"));
      child.kill("SIGTERM");
      await within(child.exited, "it does not stop");
    }
    assert.match(keys[0], /^[A-Za-z0-9_-]{43}$/);
    assert.equal(keys[0], keys[1]);
    assert.equal(statSync(join(data, "challenge-key")).mode & 0o777, 0o600);
  });

  it("is alone on its data, and takes over after a crash", async () => {
    const first = run();
    const client = await ready(first);
    const second = await within(run().exited, "the second does not give up");
    assert.equal(second.code, 1);
    assert.match(second.err, /^relay: process \d+ runs a relay on /);
    assert.equal((await client.get("/health")).status, 200);
    const [workerd] = workerds(first.pid);
    first.kill("SIGKILL");
    await within(first.exited, "it survives SIGKILL");
    // Its orphan goes on serving: end it, as an operator would.
    process.kill(workerd, "SIGKILL");
    const third = run();
    await ready(third);
    third.kill("SIGTERM");
    assert.equal((await within(third.exited, "it does not stop")).code, 0);
  });

  it("refuses what it does not know, and takes its settings from the environment", async () => {
    const unknown = await within(run(["--verbose"]).exited, "it starts");
    assert.equal(unknown.code, 1);
    assert.match(unknown.err, /^relay: unknown argument --verbose/);
    const noPort = await within(run([], { PORT: "http" }).exited, "it starts");
    assert.match(noPort.err, /^relay: PORT is no port number/);
    const child = run(["--rate-limits", "--log"], { RELAY_REGISTRATION: "token", LIMIT_PAIR_MESSAGE_BYTES: "3" });
    const client = await ready(child);
    const owner = new Agent();
    assert.equal((await client.put(`/allowlist/${owner.id}`, owner.allowlist([]))).status, 403);
    assert.equal((await client.post("/pair/x", "abcd")).status, 413);
    const claims = [];
    for (let i = 0; i < 31; i += 1) claims.push((await client.post("/invite/x/claim", "{}")).status);
    assert.deepEqual([claims[0], claims[30]], [400, 429]);
    child.kill("SIGTERM");
    const { err } = await within(child.exited, "it does not stop");
    assert.match(err, /"route":"allowlist","method":"PUT","status":403,"code":"registration_closed"/);
  });
});
