import { visibleJson } from "../host/visible-json.js";

/** JSON on one line, in which every character that moves, hides or reorders text is an escape of JSON's. */
export function jsonLine(value: unknown): string {
  return visibleJson(JSON.stringify(value));
}
