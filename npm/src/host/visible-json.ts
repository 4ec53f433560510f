/** The same JSON, with every character that moves, hides or reorders text written as JSON's own escapes. Line feeds stay. */
export function visibleJson(json: string): string {
  return json.replace(/[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (c) =>
    c.split("").map(escaped).join(""),
  );
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
