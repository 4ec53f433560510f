import { readFileSync } from "node:fs";
import type { BaseHost } from "agentpair";

/** What the human of a host reads in the approval file of a pending item. */
export async function codesOf(
  host: BaseHost,
  pending: string,
): Promise<{ text: string; approve: string; reject: string }> {
  const item = (await host.pendings()).find(({ id }) => id === pending);
  if (item?.place === undefined) throw new Error(`no pending item ${pending}`);
  return codesIn(item.place);
}

/** The codes in an approval file. */
export function codesIn(file: string): { text: string; approve: string; reject: string } {
  const text = readFileSync(file, "utf8");
  const code = (name: string) => new RegExp(`^${name}: +(\\d{6})$`, "m").exec(text)?.[1] ?? "";
  return { text, approve: code("approve"), reject: code("reject") };
}

/** Waits for the next question, and approves it. Resolves with the item. */
export async function approveNext(host: BaseHost, kind: string, timeoutMs = 60_000) {
  const find = async () => (await host.pendings()).find(({ subject }) => subject.kind === kind);
  const item = await host.until(find, `a question: ${kind}`, { timeoutMs });
  const { approve } = await codesOf(host, item.id);
  await host.decide(item.id, approve);
  return item;
}
