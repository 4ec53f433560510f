import { existsSync } from "node:fs";
import { join } from "node:path";
import { asAgentPairError } from "../../errors.js";
import type { Protection } from "../../vault/protection.js";
import type { HostView } from "../../wasm/agentpair.js";
import type { Call } from "../call.js";
import { type Check, fail, ok, warn } from "./check.js";

/** The store, the keys and the approvals: without taking the network from a server that runs. */
export async function checkStore(call: Call, directory: string): Promise<Check[]> {
  if (!existsSync(join(directory, "agentpair.db"))) return [ok("store", "there is none yet: nobody is paired here")];
  try {
    const { protectionIn } = await import("../../vault/protect.js");
    const host = await call.host({ network: false });
    const [me, bonds] = [await host.me(), await host.bonds()];
    const count = bonds.length === 1 ? "1 bond" : `${bonds.length} bonds`;
    return [
      ok("store", `opens, ${count}, ${me.audit} records in the audit log`),
      keys(await protectionIn(directory)),
      approvals(me),
    ];
  } catch (error) {
    const { code, message } = asAgentPairError(error);
    return [fail("store", `cannot be opened (${code})`, message)];
  }
}

function keys(protection: Protection): Check {
  switch (protection) {
    case "keychain":
      return ok("keys", "sealed; what opens them is in the keychain of the operating system");
    case "passphrase":
      return ok("keys", "sealed under a passphrase");
    case "file":
      return warn(
        "keys",
        "plain in the store: whoever gets a copy of the data directory has them",
        "agentpair keys keychain, or agentpair keys passphrase",
      );
  }
}

function approvals({ approver }: HostView): Check {
  if (approver !== undefined) return ok("approvals", "nothing is decided without your PIN");
  return warn(
    "approvals",
    "no PIN is set: an agent that can read your files can decide for you",
    "agentpair pin set, or run the agent where it cannot read the data directory",
  );
}
