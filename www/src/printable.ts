/**
 * Makes every character visible that could move, hide or reorder text, or is unseen itself, as the package's
 * `printable` does: `\u{202e}`. Line feeds stay. Here, since the first view does not wait for the package.
 */
export function printable(text: string): string {
  return text.replace(
    /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`,
  );
}
