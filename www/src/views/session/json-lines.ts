// JSON laid out in lines. Nothing is parsed and written again: every number, name and text stays as it was written, and
// a name that occurs twice is there twice.

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** More characters than that are not laid out: indented, a megabyte of short lines could be a hundred. */
const MOST = 2_000_000;

/** The same JSON with a line for each member, or nothing where it is none, or too long. */
export function jsonLines(json: string): string | undefined {
  try {
    JSON.parse(json);
  } catch {
    return undefined;
  }
  const tokens = json.match(TOKEN) ?? [];
  let depth = 0;
  let text = "";
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const [i, token] of tokens.entries()) {
    if (text.length > MOST) return undefined;
    const next = tokens[i + 1];
    if (token === "{" || token === "[") {
      depth += 1;
      text += next === "}" || next === "]" ? token : token + line();
    } else if (token === "}" || token === "]") {
      depth -= 1;
      const last = tokens[i - 1];
      text += last === "{" || last === "[" ? token : line() + token;
    } else if (token === ",") text += token + line();
    else text += token === ":" ? ": " : token;
  }
  return text;
}
