import type { Command, Option } from "commander";

/** A word that may stand at some place, and what it means. */
export interface Word {
  word: string;
  about: string;
}

/** An option, as far as a shell has to know it. */
export interface Flag extends Word {
  /** What may stand behind it: one of these words, a file, a directory, or anything; nothing if it takes no value. */
  value: readonly string[] | "file" | "directory" | "any" | undefined;
}

/** A command, found by its words behind `agentpair`. */
export interface Place {
  /** `""`, `pair`, `session open`. */
  path: string;
  /** The commands below it, and the words that an argument may be. */
  verbs: Word[];
  flags: Flag[];
  /** Whether files may stand there. */
  takesFiles: boolean;
}

/** Every command of a program. */
export function places(program: Command): Place[] {
  return [placeOf(program, ""), ...below(program, "")];
}

function below(command: Command, path: string): Place[] {
  return command.commands.flatMap((child) => {
    const at = path === "" ? child.name() : `${path} ${child.name()}`;
    return [placeOf(child, at), ...below(child, at)];
  });
}

function placeOf(command: Command, path: string): Place {
  const help = command.createHelp();
  const verbs = help.visibleCommands(command).map((one) => ({ word: one.name(), about: one.description() }));
  const choices = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((word) => ({ word, about: description })),
  );
  return {
    path,
    verbs: [...verbs, ...choices],
    flags: help.visibleOptions(command).flatMap(flagOf),
    takesFiles: command.registeredArguments.some((argument) => sort(argument.name()) === "file"),
  };
}

function flagOf(option: Option): Flag[] {
  if (option.long === undefined || option.long === null) return [];
  const [, argument] = /[<[]([^\]>.]+)/.exec(option.flags) ?? [];
  const value = argument === undefined ? undefined : (option.argChoices ?? sort(argument));
  return [{ word: option.long, about: option.description, value }];
}

function sort(argument: string): "file" | "directory" | "any" {
  if (argument === "directory") return "directory";
  return argument === "file" || argument === "older" ? "file" : "any";
}
