/** The words of spoken codes: the protocol's own list, loaded when it is first needed. */
export async function wordList(): Promise<readonly string[]> {
  const { default: text } = await import("../../../../protocol/src/pairing/words.txt?raw");
  return text.trim().split("\n");
}
