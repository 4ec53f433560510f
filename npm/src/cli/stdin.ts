import { AgentPairError } from "../errors.js";

/** The most that is taken from a pipe, in bytes: more than any message may have. */
const LIMIT = 16 * 1024 * 1024;

/**
 * Everything that comes by standard input, as text.
 *
 * @throws AgentPairError `invalid_argument` if it is not UTF-8, or has more than 16 MiB.
 */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > LIMIT) throw new AgentPairError("invalid_argument", "caller", "standard input has more than 16 MiB");
    chunks.push(chunk);
  }
  return decode(Buffer.concat(chunks), "standard input");
}

/** UTF-8, and nothing else: a text that is changed on the way would be signed otherwise than it was read. */
export function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new AgentPairError("invalid_argument", "caller", `${what} is not text in UTF-8: convert it first`);
  }
}
