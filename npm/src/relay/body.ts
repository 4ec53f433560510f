import { joined } from "../bytes.js";

/** Reads a response body, and gives up beyond `limit` bytes. */
export async function readBytes(response: Response, limit: number): Promise<Uint8Array> {
  const declared = Number(response.headers.get("content-length") ?? 0);
  if (declared > limit) {
    // What is not read keeps its connection otherwise.
    await response.body?.cancel();
    throw new Error(`the answer has ${declared} bytes`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  // Not by iteration, which not every browser knows.
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > limit) {
      await reader?.cancel();
      throw new Error(`the answer has more than ${limit} bytes`);
    }
    chunks.push(part.value);
  }
  return joined(chunks);
}
