/** JSON on one line, in which every character that moves, hides or reorders text is an escape of JSON's. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (c) =>
    c.split("").map(escaped).join(""),
  );
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
