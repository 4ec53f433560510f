import type { Flag, Place } from "./tree.js";

/** A completion script for fish: to be sourced, or to be put into its directory of completions. */
export function fish(all: readonly Place[]): string {
  return `# Completion for agentpair. In ~/.config/fish/config.fish: agentpair completion fish | source
function __agentpair_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
            case ${known(all)}
                set at (string trim -- "$at $word")
        end
    end
    echo -- $at
end
function __agentpair_is
    set -l at (__agentpair_at)
    test "$at" = "$argv[1]"
end
complete -c agentpair -f
${all.flatMap(lines).join("\n")}
`;
}

function known(all: readonly Place[]): string {
  return all
    .filter(({ path }) => path !== "")
    .map(({ path }) => (path.includes(" ") ? quoted(path) : quoted(` ${path}`)))
    .join(" ");
}

function lines({ path, verbs, flags, takesFiles }: Place): string[] {
  const only = `-n ${quoted(`__agentpair_is ${quoted(path)}`)}`;
  // The options of the program may stand behind every verb.
  const where = path === "" ? "" : ` ${only}`;
  return [
    ...verbs.map(({ word, about }) => `complete -c agentpair ${only} -a ${quoted(word)} -d ${quoted(about)}`),
    ...flags.map(
      (flag) => `complete -c agentpair${where} -l ${flag.word.slice(2)}${values(flag)} -d ${quoted(flag.about)}`,
    ),
    ...(takesFiles ? [`complete -c agentpair ${only} -F`] : []),
  ];
}

function values({ value }: Flag): string {
  if (value === undefined) return "";
  if (value === "any") return " -x";
  if (value === "file") return " -r -F";
  return value === "directory" ? " -x -a '(__fish_complete_directories)'" : ` -x -a ${quoted(value.join(" "))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
