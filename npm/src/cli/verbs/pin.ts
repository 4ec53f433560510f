import { askSecret } from "../ask.js";
import type { Call } from "../call.js";
import { askNewSecret } from "../new-secret.js";
import { untilSent } from "../sent.js";
import { mustBeTerminal } from "../terminal.js";
import { act, type Verb } from "../verb.js";

const ADVICE =
  "Every approval will need it, and peers take no ratification of yours without it. It is kept nowhere: who forgets it can approve nothing here any more. Do not let an agent see you type it.";
const NEW = { name: "PIN", characters: 8, advice: ADVICE };

export default {
  summary: "set the PIN that every approval needs",
  register(command) {
    act(command.command("status").description("tell whether a PIN is set"), async (call: Call) => {
      const { approver } = await (await call.host({ network: false })).me();
      call.print({ pin: approver !== undefined, approver }, () =>
        approver === undefined
          ? "no PIN: whatever runs as you can approve, an agent with a shell too"
          : "a PIN is set: every approval needs it",
      );
    });

    act(command.command("set").description("set a PIN, where there is none"), async (call: Call) => {
      mustBeTerminal("so that nobody but you knows the PIN");
      const host = await call.host();
      if ((await host.me()).approver !== undefined) {
        call.say("There is a PIN already.");
        return change(call);
      }
      await host.setPin(await askNewSecret(call, NEW));
      await told(call, "The PIN is set.");
    });

    act(command.command("change").description("put another PIN in its place"), (call: Call) => change(call));

    act(command.command("remove").description("do away with the PIN"), async (call: Call) => {
      mustBeTerminal("so that nobody but you knows the PIN");
      const host = await call.host();
      if ((await host.me()).approver === undefined) return call.say("There is no PIN.");
      await host.removePin(await askSecret(call, "Your PIN:"));
      await told(call, "The PIN is gone: whatever runs as you can approve again, an agent with a shell too.");
    });
  },
} satisfies Verb;

async function change(call: Call): Promise<void> {
  mustBeTerminal("so that nobody but you knows the PIN");
  const host = await call.host();
  if ((await host.me()).approver === undefined) return call.say("There is no PIN yet: agentpair pin set");
  const current = await askSecret(call, "The PIN as it is now:");
  await host.setPin(await askNewSecret(call, NEW), current);
  await told(call, "The PIN is changed.");
}

/** Peers have to know of it too. */
async function told(call: Call, words: string): Promise<void> {
  call.say(words);
  await untilSent(call, await call.host());
}
