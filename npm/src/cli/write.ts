/** Writes a line; nothing if nobody reads any more. */
export function writeLine(stream: NodeJS.WriteStream, text: string): void {
  if (stream.writable) stream.write(`${text}\n`);
}

/** Writes text as it is. Resolves when it has left this process: for much at once, so that it does not pile up. */
export function writeText(stream: NodeJS.WriteStream, text: string): Promise<void> {
  if (!stream.writable || text === "") return Promise.resolve();
  return new Promise((resolve) => {
    // An error is told to whoever listens to the stream.
    stream.write(text, () => resolve());
  });
}

/** Resolves when everything that was written has left this process. */
export async function flushed(): Promise<void> {
  const one = (stream: NodeJS.WriteStream) =>
    new Promise<void>((resolve) => {
      if (stream.writable) stream.write("", () => resolve());
      else resolve();
    });
  await Promise.all([one(process.stdout), one(process.stderr)]);
}
