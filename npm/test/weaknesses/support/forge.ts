import type { Pen } from "../../mcp/e2e/support/pen.ts";

/** Signs another body than the one in an envelope, with the keys of a bonded peer; `other` members of the envelope too. */
export function forged(pen: Pen, wire: string, change: (body: string) => string, other: object = {}): string {
  const outer = JSON.parse(wire);
  const body = Buffer.from(change(Buffer.from(outer.blob, "base64url").toString()));
  return JSON.stringify({ ...outer, ...other, blob: body.toString("base64url"), sig: pen.sign(body) });
}
