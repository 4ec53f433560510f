import { AgentPairError } from "../errors.js";

/**
 * The base URL of a relay, without a slash at the end.
 *
 * @throws AgentPairError `invalid_argument`.
 */
export function relayUrl(text: string): string {
  if (!/^https?:\/\/[^/@?#]+(\/[^?#]*)?$/.test(text) || !URL.canParse(text)) {
    const advice = "such as https://relay.example or http://127.0.0.1:3001";
    throw new AgentPairError("invalid_argument", "caller", `the relay must be a base URL ${advice}, not ${text}`);
  }
  return text.replace(/\/+$/, "");
}
