import type { Flag, Place } from "./tree.js";

/** A completion script for bash 3.2 and newer. */
export function bash(all: readonly Place[]): string {
  const root = all[0]?.flags ?? [];
  return `# Completion for agentpair. In ~/.bashrc: source <(agentpair completion bash)
_agentpair() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at='' words='' files='' word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${known(all)}) at=\${at:+$at }$word ;;
    esac
  done
  case "$at $prev" in
${all.flatMap((place) => place.flags.flatMap((flag) => behind(place, flag))).join("\n")}
    *)
      case "$at" in
${all.map((place) => here(place, root)).join("\n")}
      esac
      ;;
  esac
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
    compgen -W "$words" -- "$cur"
    if [[ -n $files && $cur != -* ]]; then compgen $files -- "$cur"; fi
  )
  if [[ -n $files ]]; then compopt -o filenames 2>/dev/null; fi
}
complete -F _agentpair agentpair
`;
}

/** The words that lead from one command to the next. */
function known(all: readonly Place[]): string {
  return all
    .filter(({ path }) => path !== "")
    .map(({ path }) => {
      const at = path.lastIndexOf(" ");
      return at < 0 ? `' ${path}'` : `'${path}'`;
    })
    .join("|");
}

/** What stands behind an option that takes a value. Those of the program may stand behind every verb. */
function behind({ path }: Place, { word, value }: Flag): string[] {
  if (value === undefined) return [];
  const pattern = path === "" ? `*' ${word}'` : `'${path} ${word}'`;
  if (value === "any") return [`    ${pattern}) ;;`];
  if (value === "file") return [`    ${pattern}) files='-f' ;;`];
  if (value === "directory") return [`    ${pattern}) files='-d' ;;`];
  return [`    ${pattern}) words='${value.join(" ")}' ;;`];
}

function here({ path, verbs, flags, takesFiles }: Place, root: readonly Flag[]): string {
  const words = new Set([...verbs, ...flags, ...root].map(({ word }) => word));
  return `        '${path}') words='${[...words].join(" ")}'${takesFiles ? " files='-f'" : ""} ;;`;
}
