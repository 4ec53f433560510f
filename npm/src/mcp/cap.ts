import { PEER_TEXT_CAP, PEER_TEXT_CAP_MAX } from "../untrusted.js";

/**
 * Bytes of a peer's text that are shown at once: `AGENTPAIR_PEER_CONTENT_CAP_BYTES`, 1 to 65,536 in digits. Anything
 * else is the default, 8,192, and is warned of on standard error. A result is never longer than its own bound.
 */
export function peerTextCap(setting = process.env.AGENTPAIR_PEER_CONTENT_CAP_BYTES): number {
  if (setting === undefined || setting === "") return PEER_TEXT_CAP;
  const bytes = /^\d{1,5}$/.test(setting) ? Number(setting) : 0;
  if (bytes >= 1 && bytes <= PEER_TEXT_CAP_MAX) return bytes;
  console.error(
    `agentpair: AGENTPAIR_PEER_CONTENT_CAP_BYTES must be a number from 1 to ${PEER_TEXT_CAP_MAX}; ${PEER_TEXT_CAP} is used`,
  );
  return PEER_TEXT_CAP;
}
