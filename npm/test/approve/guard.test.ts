import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { after, test } from "node:test";
import { Relay } from "../support/relay.ts";
import { ask, call, open, own } from "./support/page.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

test("whoever is not the page gets a bare no", async (t) => {
  const { alice, bond, page } = await open(t, relay.url);
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
  const { page } = await open(t, relay.url);
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
  const { page } = await open(t, relay.url);
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

test("it is reached from this machine only, and leaves no port open", async (t) => {
  const { page } = await open(t, relay.url);
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
