import type { BondView, Host, PendingItem, SessionView } from "agentpair";

import type { Page } from "playwright-core";
import { approveNext } from "../../support/human.ts";
import { LIMIT_MS } from "../../support/within.ts";
import { ready } from "./chrome.ts";

export type Package = typeof import("agentpair/browser");
export type BrowserHost = Awaited<ReturnType<Package["Host"]["open"]>>;

/** How a party opens its host. */
export interface PartyOptions {
  name?: string;
  relay?: string;
  label?: string;
  network?: boolean;
}

declare global {
  /** What the page of ./site.ts imports. */
  var agentpair: Package;
  var host: BrowserHost;
  /** Codes of what the host complained of. */
  var problems: string[];
}

/** What is awaited, and serialized. */
type Result<K extends Method> = Awaited<ReturnType<Extract<BrowserHost[K], (...all: never[]) => unknown>>>;
type Given<K extends Method> = Parameters<Extract<BrowserHost[K], (...all: never[]) => unknown>>;
type Method = {
  [K in keyof BrowserHost]: BrowserHost[K] extends (...all: never[]) => Promise<unknown> ? K : never;
}[keyof BrowserHost];

/** A host in a tab. */
export class Party {
  page: Page;
  readonly #options: PartyOptions;

  private constructor(page: Page, options: PartyOptions) {
    this.page = page;
    this.#options = options;
  }

  static async open(page: Page, options: PartyOptions = {}): Promise<Party> {
    const party = new Party(page, options);
    await party.open();
    return party;
  }

  /** Opens the host of its name in the page as it is now. */
  async open(): Promise<void> {
    await this.page.evaluate(async (options) => {
      globalThis.problems = [];
      const onProblem = ({ code }: { code: string }) => globalThis.problems.push(code);
      globalThis.host = await globalThis.agentpair.Host.open({ ...options, onProblem });
    }, this.#options);
  }

  /** Goes on in another tab. */
  async reopen(page: Page): Promise<void> {
    this.page = page;
    await this.open();
  }

  /** Loads the page anew, as a human would, and opens the host again. */
  async reload(): Promise<void> {
    await this.page.reload();
    await ready(this.page);
    await this.open();
  }

  call<K extends Method>(method: K, ...given: Given<K>): Promise<Result<K>> {
    return this.page.evaluate(
      ([method, given]) => (host[method as "send"] as (...all: unknown[]) => Promise<unknown>)(...given),
      [method, given] as const,
    ) as Promise<Result<K>>;
  }

  problems(): Promise<string[]> {
    return this.page.evaluate(() => problems);
  }

  /** Looks again and again, also across reloads, until there is something to see. */
  async until<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
    const end = Date.now() + LIMIT_MS;
    for (;;) {
      const seen = await look();
      if (seen !== undefined) return seen;
      if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Waits for a question. */
  question(kind: string): Promise<PendingItem> {
    const look = async () => (await this.call("pendings")).find(({ subject }) => subject.kind === kind);
    return this.until(look, `a question: ${kind}`);
  }

  /** Approves the next question of that kind, as it stands on the screen. */
  async approve(kind: string): Promise<void> {
    const { id, digest } = await this.question(kind);
    await this.call("decideHere", { id, digest }, "approve");
  }
}

/** A host in this process, used like one in a tab. */
export class NodeParty {
  readonly host: Host;

  constructor(host: Host) {
    this.host = host;
  }

  call<K extends Method>(method: K, ...given: Given<K>): Promise<Result<K>> {
    return (this.host[method as "send"] as (...all: unknown[]) => Promise<unknown>)(...given) as Promise<Result<K>>;
  }

  until<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
    return this.host.until(look, what, { timeoutMs: LIMIT_MS });
  }

  async approve(kind: string): Promise<void> {
    await approveNext(this.host, kind);
  }
}

/** A host somewhere. */
export type Side = Pick<Party, "call" | "until" | "approve">;

/** What is awaited between two steps. */
export type Pause = (after: string) => Promise<void>;

/** Lets two hosts pair by words. */
export async function pairSides(
  alice: Side,
  bob: Side,
  pause: Pause = async () => {},
): Promise<{ bond: BondView; back: BondView }> {
  const { pairing, code } = await alice.call("invite", { petname: "bob", timeoutMs: 30_000 });
  await pause("invite");
  const joining = await bob.call("join", code, { petname: "alice" });
  await pause("join");
  await bob.approve("join");
  await pause("approve");
  const [bond, back] = [await bonded(alice, pairing), await bonded(bob, joining)];
  await pause("bonded");
  return { bond, back };
}

/** Waits until a pairing has become a bond. */
export function bonded(side: Side, pairing: string): Promise<BondView> {
  return side.until(async () => {
    const { outcome, bond } = await side.call("pairing", pairing);
    if (outcome !== undefined && outcome !== "bonded") throw new Error(outcome);
    return (await side.call("bonds")).find(({ id, status }) => id === bond && status === "active");
  }, "the bond");
}

const TEXT = "Two days of work, 100 EUR.\n";

/** From a proposal to the receipts of both sides. */
export async function agree(
  alice: Side,
  bob: Side,
  { bond, back }: { bond: BondView; back: BondView },
  pause: Pause = async () => {},
): Promise<string[]> {
  const thread = await alice.call("openSession", bond.id, {
    goal: "Agree on a price",
    acceptance: [{ id: "price", test: "judgment", desc: "one number with a currency" }],
    budget: { max_turns: 4, deadline: new Date(Date.now() + 3_600_000).toISOString() },
    mandate: { agent_may: ["propose", "accept"], human_required: ["ratify"] },
  });
  await pause("open");
  await bob.approve("open");
  await pause("let it begin");
  const reached = async (side: Side, of: string, is: (session: SessionView) => boolean, what: string) =>
    side.until(async () => {
      const session = await side.call("session", of, thread);
      return session && is(session) ? session : undefined;
    }, what);
  await reached(alice, bond.id, ({ status }) => status === "live", "a live session");
  const deliverable = { kind: "text", media_type: "text/plain", name: "price.txt", text: TEXT } as const;
  const { sha256 } = await alice.call("turn", bond.id, thread, "propose", "Our price.", deliverable);
  await pause("propose");
  await reached(bob, back.id, ({ turns }) => turns === 1, "the proposal");
  await bob.call("accept", back.id, thread, sha256, "Agreed.");
  await pause("accept");
  await reached(alice, bond.id, ({ turns }) => turns === 2, "the acceptance");
  await alice.call("sign", bond.id, thread, sha256);
  await pause("sign");
  await reached(bob, back.id, ({ signedByPeer }) => signedByPeer === sha256, "the signature");
  await bob.call("sign", back.id, thread, sha256);
  await pause("sign back");
  await alice.approve("ratify");
  await pause("ratify");
  await bob.approve("ratify");
  await pause("ratify back");
  const receipts: string[] = [];
  for (const [side, of] of [
    [alice, bond.id],
    [bob, back.id],
  ] as const) {
    await reached(side, of, ({ hasReceipt }) => hasReceipt, "the receipt");
    receipts.push((await side.call("receipt", of, thread)) ?? "");
  }
  return receipts;
}
