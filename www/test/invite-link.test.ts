import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCode } from "../../npm/dist/node.js";
import { isOfThisMachine, pageLink, spokenPieces } from "../src/views/invite/invite-link.ts";

const NAME = `l${"A".repeat(22)}`;
const FRAGMENT = `r=https://relay.example&i=${NAME}.${"B".repeat(21)}A`;
const PAGE = { origin: "https://page.example", pathname: "/pair/" };

test("the link is this page's address, and is read as the code that it was made of", () => {
  const link = pageLink(`agentpair:#${FRAGMENT}`, PAGE);
  assert.equal(link, `https://page.example/pair/#${FRAGMENT}`);
  assert.deepEqual(parseCode(link), parseCode(`agentpair:#${FRAGMENT}`));
  assert.deepEqual(parseCode(link), { form: "link", name: NAME, relay: "https://relay.example" });
});

test("nothing of the code stands before the #, so no server gets it", () => {
  const link = new URL(pageLink(`agentpair:#${FRAGMENT}`, PAGE));
  assert.equal(link.search, "");
  assert.equal(link.href.slice(0, -link.hash.length), "https://page.example/pair/");
  assert.equal(pageLink("l1.2", PAGE), "https://page.example/pair/#l1.2");
});

test("addresses of this machine are told from others", () => {
  const own = [
    "http://127.0.0.1:3001",
    "http://localhost:3002/x",
    "http://[::1]:1",
    "http://page.localhost",
    "http://127.9.9.9",
  ];
  const others = [
    "https://page.example",
    "http://127.0.0.1.example",
    "http://localhost.example",
    "nonsense",
    "http://10.0.0.1",
  ];
  assert.deepEqual(own.filter(isOfThisMachine), own);
  assert.deepEqual(others.filter(isOfThisMachine), []);
});

test("a spoken code is shown piece by piece", () => {
  assert.deepEqual(spokenPieces("42-oasis-aardvark-zucchini"), ["42", "oasis", "aardvark", "zucchini"]);
  assert.deepEqual(spokenPieces("123-456"), ["123", "456"]);
});
