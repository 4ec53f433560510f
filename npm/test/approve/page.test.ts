import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { after, type TestContext, test } from "node:test";
import { ApprovalPage } from "../../dist/approve/page-server.js";
import { openTwo, type Pair, pair } from "../support/hosts.ts";
import { codesIn } from "../support/human.ts";
import { Relay } from "../support/relay.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

interface Answer {
  status: number;
  headers: { [name: string]: string | string[] | undefined };
  body: string;
}

/** Sends a request just as it is given. */
function ask(page: ApprovalPage, method: string, path: string, headers: object, body = ""): Promise<Answer> {
  const { port } = new URL(page.url);
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, method, path, headers: { ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** What a browser sends for the page. */
function own(page: ApprovalPage): { [name: string]: string } {
  const { host, origin, hash } = new URL(page.url);
  return { host, origin, authorization: `Bearer ${hash.slice(1)}`, "content-type": "application/json" };
}

function call(page: ApprovalPage, path: string, body: unknown, headers: object = {}): Promise<Answer> {
  return ask(page, "POST", path, { ...own(page), ...headers }, JSON.stringify(body));
}

async function open(t: TestContext): Promise<Pair & { page: ApprovalPage }> {
  const two = await pair(...(await openTwo(t, relay.url)));
  const page = await ApprovalPage.start(two.alice);
  t.after(() => page.close());
  return { ...two, page };
}

test("the page shows what waits, and decides it, in the human's name by the page", async (t) => {
  const { alice, bond, page } = await open(t);
  const id = await alice.verify(bond.id);
  const { status, body } = await call(page, "/waiting", {});
  assert.equal(status, 200);
  const { items, pin } = JSON.parse(body);
  assert.equal(pin, false);
  assert.deepEqual(
    items.map((item: { id: string; kind: string }) => [item.id, item.kind]),
    [[id, "verify"]],
  );
  const { approve, reject } = codesIn((await alice.pendings())[0]?.place ?? "");
  assert.ok(!body.includes(approve) && !body.includes(reject) && !body.includes("approvals/"), "no code, no path");
  const word = { id, digest: items[0].digest, decision: "approve" };
  const decided = await call(page, "/decide", word);
  assert.deepEqual([decided.status, JSON.parse(decided.body)], [200, { decision: "approve" }]);
  assert.equal((await alice.bond(bond.id)).verification?.how, "page");
  // Once more, as it was sent.
  const again = await call(page, "/decide", word);
  assert.equal(again.status, 409);
  assert.equal(JSON.parse(again.body).error.code, "pending_not_found");
});

test("a rejection is one", async (t) => {
  const { alice, bond, page } = await open(t);
  const id = await alice.verify(bond.id);
  const digest = (await alice.pendings())[0]?.digest;
  assert.equal((await call(page, "/decide", { id, digest, decision: "reject", reason: "no" })).status, 200);
  assert.equal((await alice.bond(bond.id)).verification, undefined);
  assert.deepEqual(await alice.pendings(), []);
});

test("only what was shown is decided", async (t) => {
  const { alice, bond, page } = await open(t);
  const id = await alice.verify(bond.id);
  const digest = (await alice.pendings())[0]?.digest ?? "";
  const other = digest.replace(/^./, (c) => (c === "0" ? "1" : "0"));
  const cases: [unknown, number][] = [
    [{ id, digest: other, decision: "approve" }, 409],
    [{ id: "no-such-item", digest, decision: "approve" }, 409],
    [{ id, digest, decision: "Approve" }, 400],
    [{ id, digest }, 400],
    [{ id, decision: "approve" }, 400],
    [{ id: [id], digest, decision: "approve" }, 400],
    [{ id, digest, decision: "approve", pin: 12345678 }, 400],
    [null, 400],
    ["approve", 400],
  ];
  for (const [body, status] of cases)
    assert.equal((await call(page, "/decide", body)).status, status, JSON.stringify(body));
  assert.equal((await ask(page, "POST", "/decide", own(page), "{")).status, 400);
  assert.deepEqual(
    (await alice.pendings()).map((item) => item.id),
    [id],
  );
});

test("whoever is not the page gets a bare no", async (t) => {
  const { alice, bond, page } = await open(t);
  const id = await alice.verify(bond.id);
  const digest = (await alice.pendings())[0]?.digest;
  const { host, port, hash, origin } = new URL(page.url);
  const token = hash.slice(1);
  assert.match(token, /^[\w-]{43}$/, "256 bits");
  const wrong: { [name: string]: { [name: string]: string | undefined } } = {
    "no token": { authorization: undefined },
    "an empty token": { authorization: "Bearer " },
    "another token": { authorization: `Bearer ${token.replace(/^./, (c) => (c === "A" ? "B" : "A"))}` },
    "a part of the token": { authorization: `Bearer ${token.slice(0, -1)}` },
    "the token with more": { authorization: `Bearer ${token}A` },
    "the token in another scheme": { authorization: `Basic ${token}` },
    "a rebound name": { host: `evil.example:${port}` },
    "a rebound name with its origin": { host: `evil.example:${port}`, origin: `http://evil.example:${port}` },
    localhost: { host: `localhost:${port}`, origin: `http://localhost:${port}` },
    "another port as host": { host: "127.0.0.1:1" },
    "no port": { host: "127.0.0.1" },
    "another origin": { origin: "https://evil.example" },
    "another port as origin": { origin: "http://127.0.0.1:1" },
    "the origin of a file": { origin: "null" },
    "no origin": { origin: undefined },
    "another site, as the browser says": { "sec-fetch-site": "cross-site" },
    "another port, as the browser says": { "sec-fetch-site": "same-site" },
  };
  const secrets = [token, host, origin];
  for (const [name, headers] of Object.entries(wrong)) {
    for (const path of ["/waiting", "/decide", "/none"]) {
      const entries = Object.entries({ ...own(page), ...headers }).filter(([, value]) => value !== undefined);
      const body = JSON.stringify({ id, digest, decision: "approve" });
      const answer = await ask(page, "POST", path, Object.fromEntries(entries), body);
      assert.deepEqual([answer.status, answer.body], [403, ""], `${name} ${path}`);
      assert.equal(answer.headers["access-control-allow-origin"], undefined, name);
      const told = JSON.stringify(answer.headers);
      assert.ok(!secrets.some((secret) => told.includes(secret)), name);
    }
  }
  const fetched = await ask(page, "GET", "/", { host: `evil.example:${port}` });
  assert.deepEqual([fetched.status, fetched.body], [403, ""], "not even the page");
  // What a page of another site may ask for first.
  const preflight = { ...own(page), origin: "https://evil.example", "access-control-request-method": "POST" };
  const asked = await ask(page, "OPTIONS", "/decide", preflight);
  assert.ok(asked.status >= 400);
  assert.deepEqual(
    Object.keys(asked.headers).filter((header) => header.startsWith("access-control")),
    [],
  );
  // The token is no part of an address that is served.
  for (const path of [`/${hash}`, `/?${token}`, `/${token}`]) {
    assert.equal((await ask(page, "GET", path, { host })).status, 404, path);
  }
  assert.deepEqual(
    (await alice.pendings()).map((item) => item.id),
    [id],
    "nothing was decided",
  );
});

test("only JSON is taken, and little of it", async (t) => {
  const { page } = await open(t);
  const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json-seq", ""];
  for (const type of types)
    assert.equal((await call(page, "/waiting", {}, { "content-type": type })).status, 415, type);
  const fits = `{"active":"${"x".repeat(4_096 - 13)}"}`;
  assert.equal(fits.length, 4_096);
  assert.equal((await ask(page, "POST", "/waiting", own(page), fits)).status, 200);
  assert.equal((await ask(page, "POST", "/waiting", own(page), `${fits} `)).status, 413);
  // Without saying beforehand how much.
  const chunked = { ...own(page), "transfer-encoding": "chunked" };
  assert.equal((await ask(page, "POST", "/waiting", chunked, `${fits} `)).status, 413);
  assert.equal((await call(page, "/none", {})).status, 404);
});

test("every answer forbids to run, keep, frame or pass on anything but the page", async (t) => {
  const { page } = await open(t);
  const { host } = new URL(page.url);
  const answers = [
    ...(await Promise.all(
      ["/", "/style.css", "/main.js", "/card.js", "/confirm.js", "/calls.js", "/none", "/../page-server.js"].map(
        (path) => ask(page, "GET", path, { host }),
      ),
    )),
    await call(page, "/waiting", {}),
    await call(page, "/waiting", {}, { origin: "https://evil.example" }),
    await ask(page, "PUT", "/", { host }),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200, 200, 404, 404, 200, 403, 405],
  );
  for (const { headers } of answers) {
    const csp = String(headers["content-security-policy"]).split("; ");
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ]) {
      assert.ok(csp.includes(rule), rule);
    }
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["x-content-type-options"], "nosniff");
  }
  // What the policy forbids is not there.
  assert.doesNotMatch(
    answers[0]?.body ?? "",
    /<script(?! type="module" src="\/main\.js"><\/script>)|\s(style|on\w+)=|https?:/,
  );
});

test("a PIN is asked for, and a wrong one counts", async (t) => {
  const { alice, bond, page } = await open(t);
  await alice.setPin("correct horse");
  const id = await alice.verify(bond.id);
  const { items, pin } = JSON.parse((await call(page, "/waiting", {})).body);
  assert.equal(pin, true);
  const decide = async (pin?: string) => {
    const word = { id, digest: items[0].digest, decision: "approve", ...(pin === undefined ? {} : { pin }) };
    const { status, body } = await call(page, "/decide", word);
    return [status, JSON.parse(body).error?.code];
  };
  assert.deepEqual(await decide(), [409, "pin_required"]);
  assert.deepEqual(await decide("wrong horse"), [409, "invalid_pin"]);
  assert.deepEqual(await decide("correct horse"), [200, undefined]);
});

test("where the codes were lost, new ones are made", async (t) => {
  const { alice, bond, page } = await open(t);
  const id = await alice.verify(bond.id);
  const [item] = await alice.pendings();
  rmSync(item?.place ?? "");
  const { status } = await call(page, "/decide", { id, digest: item?.digest, decision: "approve" });
  assert.equal(status, 200);
});

test("it ends by itself when no human is there, and not while one is", async (t) => {
  const two = await pair(...(await openTwo(t, relay.url)));
  const page = await ApprovalPage.start(two.alice, { idleMs: 400 });
  t.after(() => page.close());
  // As a page does that lies open and forgotten.
  const forgotten = (async () => {
    for (;;) await call(page, "/waiting", {});
  })();
  forgotten.catch(() => {});
  const begun = Date.now();
  assert.equal(await page.ended, "idle");
  assert.ok(Date.now() - begun < 5_000);
  await assert.rejects(forgotten);
  const other = await ApprovalPage.start(two.alice, { idleMs: 400 });
  t.after(() => other.close());
  const until = Date.now() + 1_200;
  while (Date.now() < until) assert.equal((await call(other, "/waiting", { active: true })).status, 200);
  await other.close();
  assert.equal(await other.ended, "closed");
});

test("it is reached from this machine only, and leaves no port open", async (t) => {
  const { page } = await open(t);
  const port = Number(new URL(page.url).port);
  const listening = readFileSync("/proc/net/tcp", "latin1") + readFileSync("/proc/net/tcp6", "latin1");
  const places = [...listening.matchAll(/^\s*\d+: ([0-9A-F]+):([0-9A-F]{4}) \S+ 0A /gm)]
    .filter(([, , hex]) => Number.parseInt(hex ?? "", 16) === port)
    .map(([, address]) => address);
  assert.deepEqual(places, ["0100007F"], "127.0.0.1 alone");
  await page.close();
  const refused = await new Promise((resolve) => {
    connect(port, "127.0.0.1")
      .on("error", ({ code }: NodeJS.ErrnoException) => resolve(code))
      .on("connect", resolve);
  });
  assert.equal(refused, "ECONNREFUSED");
});
