import type { Flag, Place, Word } from "./tree.js";

/** A completion script for zsh: to be sourced, or to be put on `fpath` as `_agentpair`. */
export function zsh(all: readonly Place[]): string {
  const root = all[0]?.flags ?? [];
  // `path` is the search path there.
  return `#compdef agentpair
# Completion for agentpair. In ~/.zshrc, after compinit: source <(agentpair completion zsh)
_agentpair() {
  local at='' word
  local -a found
  for word in \${words[2,CURRENT-1]}; do
    case "$at $word" in
      (${known(all)}) at=\${at:+$at }$word ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${all.flatMap((place) => place.flags.flatMap((flag) => behind(place, flag))).join("\n")}
  esac
  case "$at" in
${all.map((place) => here(place, root)).join("\n")}
  esac
  _describe agentpair found
}
if [[ \${funcstack[1]} == _agentpair ]]; then
  _agentpair "$@"
else
  compdef _agentpair agentpair
fi
`;
}

function known(all: readonly Place[]): string {
  return all
    .filter(({ path }) => path !== "")
    .map(({ path }) => (path.includes(" ") ? quoted(path) : quoted(` ${path}`)))
    .join("|");
}

function behind({ path }: Place, { word, value }: Flag): string[] {
  if (value === undefined) return [];
  const pattern = path === "" ? `*${quoted(` ${word}`)}` : quoted(`${path} ${word}`);
  return [`    (${pattern}) ${action(value)}; return ;;`];
}

function action(value: NonNullable<Flag["value"]>): string {
  if (value === "any") return ":";
  if (value === "file") return "_files";
  return value === "directory" ? "_files -/" : `compadd -- ${value.map(quoted).join(" ")}`;
}

function here({ path, verbs, flags, takesFiles }: Place, root: readonly Flag[]): string {
  const words = new Map([...verbs, ...flags, ...root].map((word) => [word.word, word]));
  const found = [...words.values()].map(described).join(" ");
  return `    (${quoted(path)}) found=(${found})${takesFiles ? "; _files" : ""} ;;`;
}

function described({ word, about }: Word): string {
  return quoted(`${word.replaceAll(":", "\\:")}:${about}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
