// Every code that can reach the page has words, in both languages.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { REFUSALS } from "../../npm/src/refusals.ts";
import * as errorsEn from "../src/words/errors.en.ts";
import * as errorsId from "../src/words/errors.id.ts";
import { deliveryInWords, inWords, outcomeInWords, reasonInWords, refusedInWords } from "../src/words/errors.ts";
import * as eventsEn from "../src/words/events.en.ts";
import * as eventsId from "../src/words/events.id.ts";
import { type Language, language } from "../src/words/language.ts";

const LANGUAGES: readonly Language[] = ["en", "id"];
const TABLES = {
  en: { errors: errorsEn.ERRORS, ...eventsEn },
  id: { errors: errorsId.ERRORS, ...eventsId },
};
const BROWSER = [
  ...["storage_unavailable", "storage_full", "store_gone", "store_too_new", "store_corrupt", "store_failed"],
  ...["safety_unavailable", "no_memory", "wrong_passphrase", "backup_damaged", "backup_too_new", "no_backup"],
  ...["wipe_pending", "directory_not_empty", "relay_unreachable", "relay_nonsense", "camera_denied", "camera_missing"],
  ...["timeout", "host_closed", "invalid_receipt", "panicked", "unexpected"],
];

const textOf = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

/** The table of SPEC.md, section 19: its codes by source. */
function specified(): Map<string, string[]> {
  const [, table = ""] = /<!-- errors:begin -->(.*)<!-- errors:end -->/s.exec(textOf("../../SPEC.md")) ?? [];
  const codes = new Map<string, string[]>();
  for (const [, code = "", source = ""] of table.matchAll(/^\| `(\w+)` \| (\w+)/gm)) {
    codes.set(source, [...(codes.get(source) ?? []), code]);
  }
  return codes;
}

/** Fails for codes without words of their own. */
function mustHave(codes: readonly string[], pick: (tables: (typeof TABLES)[Language]) => object[]): void {
  assert.ok(codes.length > 0);
  for (const language of LANGUAGES) {
    const known = new Set(pick(TABLES[language]).flatMap(Object.keys));
    assert.deepEqual(
      codes.filter((code) => !known.has(code)),
      [],
      language,
    );
  }
}

test("every refusal of the package has words", () => {
  mustHave(Object.keys(REFUSALS), ({ errors }) => [errors]);
});

test("every outcome of a pairing has words", () => {
  const folder = "../../npm/src/host/";
  const files = readdirSync(new URL(folder, import.meta.url)).map((name) => textOf(folder + name));
  const [, table = ""] = /const OUTCOMES[^=]*= \{(.*?)\n\};/s.exec(files.join("\n")) ?? [];
  const outcomes = [...table.matchAll(/^ {2}(\w+): \[/gm)].map(([, outcome = ""]) => outcome);
  mustHave(outcomes, ({ OUTCOMES }) => [OUTCOMES]);
  assert.ok(outcomes.includes("pake_failed"));
});

test("every code of the specification has words where it can turn up", () => {
  const codes = specified();
  const of = (source: string) => codes.get(source) ?? [];
  mustHave([...of("refusal"), ...of("misuse"), ...of("bug")], ({ errors }) => [errors]);
  mustHave(of("relay"), ({ errors, OUTCOMES, REFUSED }) => [errors, OUTCOMES, REFUSED]);
  mustHave(of("reject"), ({ REFUSED, OUTCOMES }) => [REFUSED, OUTCOMES]);
  mustHave(of("outcome"), ({ OUTCOMES }) => [OUTCOMES]);
  mustHave(of("feed"), ({ REASONS, REFUSED, errors }) => [REASONS, REFUSED, errors]);
});

test("what only a browser meets has words", () => {
  mustHave(BROWSER, ({ errors }) => [errors]);
});

test("every code that the package throws in a browser has words", () => {
  const codes = new Set<string>();
  const files = new Set(["../../npm/src/browser.ts"]);
  for (const file of files) {
    const text = textOf(file);
    for (const [, code = ""] of text.matchAll(/new AgentPairError\(\s*"(\w+)"/g)) codes.add(code);
    for (const [, path = ""] of text.matchAll(/from "(\.[^"]+)\.js"/g)) {
      // The bindings are built, and throw codes of the protocol.
      if (!path.includes("/wasm/"))
        files.add(`../../${new URL(`${path}.ts`, `x:/${file.slice(6)}`).pathname.slice(1)}`);
    }
  }
  assert.ok(files.size > 20 && codes.has("timeout"));
  mustHave([...codes], ({ errors, OUTCOMES }) => [errors, OUTCOMES]);
});

test("each is a sentence, and the two languages are not the same", () => {
  for (const table of ["errors", "OUTCOMES", "REASONS", "REFUSED"] as const) {
    for (const code of Object.keys(TABLES.en[table])) {
      const [en, id] = LANGUAGES.map((language) => {
        const saying = (TABLES[language][table] as { [code: string]: errorsEn.Saying })[code];
        return typeof saying === "function" ? saying("a detail") : saying;
      });
      for (const text of [en, id]) assert.match(text ?? "", /^\p{Lu}.*[.?]$/su, code);
      assert.notEqual(en, id, code);
    }
  }
});

test("an error is told in the language that is spoken", () => {
  const error = Object.assign(new Error("there is no such pairing"), { code: "pair_not_found" });
  language.value = "en";
  assert.equal(inWords(error), "This invite is not here any more. Make a new one.");
  language.value = "id";
  assert.equal(inWords(error), "Undangan ini sudah tidak ada di sini. Buat yang baru.");
});

test("details of the package are kept, and Indonesian where they are known", () => {
  const receipt = Object.assign(new Error("the initiator did not sign this agreement"), { code: "invalid_receipt" });
  const word = Object.assign(new Error('word 2 is not in the list; did you hear "aardvark"?'), {
    code: "code_word_unknown",
  });
  language.value = "en";
  assert.equal(
    inWords(receipt),
    "This receipt proves nothing: the initiator did not sign this agreement. Do not rely on it.",
  );
  assert.match(inWords(word), /^Word 2 .*“aardvark”\?/);
  language.value = "id";
  assert.match(inWords(receipt), /apa-apa: pihak yang membuka perundingan tidak menandatangani/);
  assert.match(inWords(word), /^Kata ke-2 .*“aardvark”\?/);
});

test("every fault of a receipt is told in Indonesian", () => {
  const [, faults = ""] =
    /impl ReceiptFault \{(.*?)\n\}/s.exec(textOf("../../protocol/src/negotiation/receipt.rs")) ?? [];
  const messages = [...faults.matchAll(/=> "(.+)",/g)].map(([, message = ""]) => message);
  assert.equal(messages.length, 5);
  language.value = "id";
  for (const message of messages) {
    const told = inWords(Object.assign(new Error(message), { code: "invalid_receipt" }));
    assert.doesNotMatch(told, new RegExp(message));
  }
});

test("errors of the browser itself are told by what they mean", () => {
  language.value = "en";
  assert.match(inWords(new TypeError("Failed to fetch dynamically imported module: x")), /could not be loaded/);
  assert.match(inWords(new ReferenceError("WebAssembly is not defined")), /\(WebAssembly\)/);
  assert.match(inWords(new DOMException("full", "QuotaExceededError")), /no room left/);
});

test("what is not known is told too, with nothing unseen in it", () => {
  for (const spoken of LANGUAGES) {
    language.value = spoken;
    assert.match(inWords(new Error("a\u202eb")), /a\\u\{202e\}b/);
    for (const odd of [undefined, null, "text", 7, {}, { code: "toString" }]) assert.ok(inWords(odd).length > 5);
    assert.match(outcomeInWords("x\u202ey"), /x\\u\{202e\}y/);
    assert.equal(reasonInWords("we changed our minds"), undefined);
    assert.equal(reasonInWords("constructor"), undefined);
  }
});

test("a delivery says how far it came, and why no further", () => {
  language.value = "en";
  assert.equal(deliveryInWords("delivered"), "Delivered");
  assert.equal(deliveryInWords("refused", "thread_closed"), "Not taken. This conversation had ended.");
  assert.equal(refusedInWords("of_a_newer_peer"), "of_a_newer_peer.");
  for (const state of ["queued", "relayed", "delivered", "expired", "refused"]) {
    assert.ok(Object.hasOwn(eventsEn.DELIVERY, state) && Object.hasOwn(eventsId.DELIVERY, state));
  }
});
