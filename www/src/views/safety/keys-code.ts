// Pure text: what two people compare. The digest of both keys is the same on both sides, and so is the number.

/** What a comparison came to; `unreadable`: that was no such thing. */
export type Comparison = "equal" | "different" | "unreadable";

/** Compares the digest of both keys with what was scanned: 64 hexadecimal digits, and nothing else. */
export function comparedDigest(own: string, scanned: string): Comparison {
  const text = scanned.trim().toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(text)) return "unreadable";
  return text === own.toLowerCase() ? "equal" : "different";
}

/** Compares the number with one that was typed, whatever stands between its 30 digits. */
export function comparedNumber(own: readonly string[], typed: string): Comparison {
  const digits = typed.normalize("NFKC").replace(/[\s_\-.,]+/g, "");
  const whole = own.join("");
  if (!/^\d+$/.test(digits) || digits.length !== whole.length) return "unreadable";
  return digits === whole ? "equal" : "different";
}
