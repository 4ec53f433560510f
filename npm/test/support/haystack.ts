/** All that can be read in recorded bytes: as they are, with frames unmasked, escapes undone, and base64 decoded. */
export function readings(connections: Buffer[]): Buffer[] {
  const found: Buffer[] = [];
  let fresh = connections.flatMap((bytes) => [bytes, ...unmasked(bytes)]);
  // An envelope holds base64 that holds JSON that holds base64: three rounds are more than there are layers.
  for (let round = 0; round < 4 && fresh.length > 0; round++) {
    found.push(...fresh);
    fresh = fresh.flatMap((bytes) => [...unescaped(bytes), ...decoded(bytes)]);
  }
  return found;
}

/** The payloads of a client's WebSocket frames. */
function unmasked(bytes: Buffer): Buffer[] {
  const head = bytes.indexOf("\r\n\r\n");
  if (head < 0 || !/^upgrade: websocket\r?$/im.test(bytes.subarray(0, head + 2).toString("latin1"))) return [];
  const payloads: Buffer[] = [];
  for (let at = head + 4; at + 6 <= bytes.length; ) {
    let length = (bytes[at + 1] ?? 0) & 0x7f;
    let mask = at + 2;
    if (length === 126) {
      length = bytes.readUInt16BE(mask);
      mask += 2;
    } else if (length === 127) {
      length = Number(bytes.readBigUInt64BE(mask));
      mask += 8;
    }
    const payload = Buffer.from(bytes.subarray(mask + 4, mask + 4 + length));
    for (let n = 0; n < payload.length; n++) payload[n] = (payload[n] ?? 0) ^ (bytes[mask + (n % 4)] ?? 0);
    payloads.push(payload);
    at = mask + 4 + length;
  }
  return payloads;
}

/** With JSON's and URLs' escapes undone, where there are any. */
function unescaped(bytes: Buffer): Buffer[] {
  const text = bytes.toString("latin1");
  const json = text
    .replace(/\\u([0-9a-fA-F]{4})/g, (_, hex) =>
      Buffer.from(String.fromCharCode(Number.parseInt(hex, 16))).toString("latin1"),
    )
    .replace(/\\(["\\/])/g, "$1");
  const url = text.replace(/%([0-9a-fA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return [json, url].filter((other) => other !== text).map((other) => Buffer.from(other, "latin1"));
}

/** Every run of base64 or base64url characters, decoded. */
function decoded(bytes: Buffer): Buffer[] {
  const runs = bytes.toString("latin1").match(/[A-Za-z0-9+/_-]{8,}/g) ?? [];
  // A run may have begun before what was encoded: hence all four positions.
  return runs.flatMap((run) => [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), "base64")));
}

/** Whether a text is in one of the readings as a word of its own, in any case. */
export function holdsWord(haystacks: Buffer[], word: string): boolean {
  const pattern = new RegExp(`(?<![a-z0-9])${word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![a-z0-9])`, "i");
  return haystacks.some((bytes) => pattern.test(bytes.toString("latin1")));
}

/** Whether bytes are in one of the readings. */
export function holds(haystacks: Buffer[], needle: Buffer): boolean {
  return haystacks.some((bytes) => bytes.includes(needle));
}
