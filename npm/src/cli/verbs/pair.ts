import { Option } from "commander";
import type { BaseHost } from "../../common.js";
import { AgentPairError } from "../../errors.js";
import type { InviteOptions } from "../../host/types.js";
import type { BondView, Form } from "../../wasm/agentpair.js";
import type { Call } from "../call.js";
import { kinder } from "../complaint.js";
import { unlessNoRelay } from "../no-relay.js";
import { countdown, iso } from "../times.js";
import { act, type Verb } from "../verb.js";
import { giveUp, tellBond, untilBonded } from "../waiting.js";

interface Options {
  form: Form;
  petname?: string;
  scope?: string[];
  mode?: "bonded_contact" | "ephemeral_until_session_closes";
  wait: boolean;
}

/** What one does with a code, by its form. */
const HAND_OVER: { readonly [form in Form]: string } = {
  words: "Say this to the other human, by voice or another way that you trust. Whoever has it can bond.",
  digits: "Say this to the other human, by voice or another way that you trust. Whoever has it can bond.",
  link: "Give this link to the other human by a way that you trust. Whoever has it can bond.",
};

export default {
  summary: "make an invite, and wait for the other side",
  register(command) {
    command
      .addOption(
        new Option("--form <form>", "how the code is handed over")
          .choices(["words", "digits", "link"])
          .default("words"),
      )
      .option("--petname <name>", "how you call the other side")
      .addOption(
        new Option("--scope <what...>", "what the bond is for: both unless said otherwise").choices([
          "message",
          "negotiate",
        ]),
      )
      .addOption(
        new Option("--mode <mode>", "how long the bond lives: until it is revoked, unless said otherwise").choices([
          "bonded_contact",
          "ephemeral_until_session_closes",
        ]),
      )
      .option("--no-wait", "only print the code: another process of this data directory has to wait");
    act(command, pair);
  },
} satisfies Verb;

async function pair(call: Call, { form, petname, scope, mode, wait }: Options): Promise<void> {
  const host = await call.host();
  const options: InviteOptions = {
    form,
    ...(petname !== undefined && { petname }),
    ...(scope && { scope: [...new Set(scope)] }),
    ...(mode && { mode }),
  };
  const { pairing, code, expiresAt } = await call
    .progress(
      "asking the relay",
      unlessNoRelay(call, host, host.relay, (signal) => host.invite({ ...options, signal })),
    )
    .catch((error) => {
      throw kinder(error, host.relay);
    });
  tellCode(call, form, pairing, code, expiresAt);
  if (!wait) return;
  call.say("The other human types it into: agentpair join");
  await tellBond(call, host, await bondOf(call, host, pairing));
}

function tellCode(call: Call, form: Form, pairing: string, code: string, expiresAt: number): void {
  call.say(HAND_OVER[form]);
  call.print({ pairing, code, expires_at: iso(expiresAt) }, () => code);
}

/** Waits for the bond; where a stranger took the code, with the one that the host made in its place. */
async function bondOf(call: Call, host: BaseHost, pairing: string): Promise<BondView> {
  const { expiresAt } = await host.pairing(pairing);
  try {
    const what = () => `waiting for the other side: the code works for ${countdown(expiresAt)}`;
    return await untilBonded(call, host, pairing, what);
  } catch (error) {
    await giveUp(call, host, pairing, "The code is withdrawn.");
    call.signal.throwIfAborted();
    const next = error instanceof AgentPairError ? await replacement(host, pairing) : undefined;
    if (next === undefined) throw error;
    const look = async () => {
      const view = await host.pairing(next);
      return view.code === undefined && view.outcome === undefined ? undefined : view;
    };
    const { form, code, expiresAt: end } = await host.until(look, "the relay", { timeoutMs: 30_000 });
    if (code === undefined) throw error;
    call.say("Somebody who did not know the code used it up. There is a new one:");
    tellCode(call, form, next, code, end);
    return bondOf(call, host, next);
  }
}

/** The pairing that the host began in place of one that a stranger ended. */
async function replacement(host: BaseHost, pairing: string): Promise<string | undefined> {
  for (let since = 0; ; ) {
    const items = await host.feed({ since, limit: 1_000 });
    for (const { event } of items) {
      if (event.event === "pairing_ended" && event.pairing === pairing) return event.replacedBy;
    }
    const last = items.at(-1);
    if (!last) return undefined;
    since = last.n;
  }
}
