import { Argument } from "commander";
import type { Call } from "../call.js";
import { bash } from "../completion/bash.js";
import { fish } from "../completion/fish.js";
import { places } from "../completion/tree.js";
import { zsh } from "../completion/zsh.js";
import { act, type Verb } from "../verb.js";
import { writeText } from "../write.js";

const SHELLS = { bash, zsh, fish } as const;

export default {
  summary: "print a completion script for a shell",
  register(command) {
    command
      .addArgument(new Argument("<shell>", "whose").choices(Object.keys(SHELLS)))
      .addHelpText("after", "\nIn ~/.bashrc: source <(agentpair completion bash)");
    act(command, async (_: Call, shell: keyof typeof SHELLS) => {
      // Late, since that file lists this one.
      const { programOf } = await import("../program.js");
      await writeText(process.stdout, SHELLS[shell](places(await programOf([]))));
    });
  },
} satisfies Verb;
