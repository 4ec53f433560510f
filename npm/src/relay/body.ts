/** Reads a response body, and gives up beyond `limit` bytes. */
export async function readBytes(response: Response, limit: number): Promise<Uint8Array> {
  const declared = Number(response.headers.get("content-length") ?? 0);
  if (declared > limit) throw new Error(`the answer has ${declared} bytes`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (response.body) {
    // Leaving the loop by an error cancels the stream.
    for await (const chunk of response.body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > limit) throw new Error(`the answer has more than ${limit} bytes`);
      chunks.push(chunk);
    }
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
