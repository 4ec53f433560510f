import { AgentPairError } from "../../errors.js";
import { words } from "../../mcp/frame.js";
import type { Call } from "../call.js";
import { catchUp } from "../catch-up.js";
import { writeNewFile } from "../files.js";
import { type Found, findHash, findSession } from "../find-session.js";
import { registerOpen } from "../session-open.js";
import { onThread, registerTurns } from "../session-turns.js";
import { listLines, sessionJson, sessionLines, termsJson, turnJson } from "../session-view.js";
import { linesBy } from "../shown.js";
import { act, type Verb } from "../verb.js";

interface ShowOptions {
  peer?: string;
  deliverable?: string;
  out?: string;
}

export default {
  summary: "negotiate a text: open, propose, counter, accept, sign",
  register(command) {
    registerOpen(command.command("open"));
    act(command.command("list").description("list the negotiations"), list);
    act(
      onThread(command, "show", "show a negotiation and its turns")
        .option("--deliverable <hash>", "this text, by its SHA-256 or the beginning of it")
        .option("--out <file>", "with --deliverable: write its exact bytes to a file"),
      show,
    );
    registerTurns(command);
  },
} satisfies Verb;

async function list(call: Call): Promise<void> {
  const host = await call.host();
  await catchUp(call, host);
  const all: Found[] = [];
  for (const session of await host.sessions()) all.push({ session, bond: await host.bond(session.bond) });
  call.print({ sessions: all.map(sessionJson) }, () => (all.length > 0 ? listLines(all) : []));
  if (all.length === 0) call.say("No negotiations yet: `agentpair session open` begins one.");
}

async function show(call: Call, thread: string, options: ShowOptions): Promise<void> {
  const host = await call.host();
  await catchUp(call, host);
  const found = await findSession(host, thread, options.peer);
  if (options.deliverable !== undefined) return showDeliverable(call, found, options.deliverable, options.out);
  const turns = await host.turns(found.bond.id, found.session.thread);
  const { petname } = found.bond;
  call.print(
    { session: sessionJson(found), terms: termsJson(found), turns: turns.map((turn) => turnJson(turn, petname)) },
    () => sessionLines(found, turns),
  );
}

async function showDeliverable(call: Call, found: Found, hash: string, out: string | undefined): Promise<void> {
  const host = await call.host();
  const { session, bond } = found;
  const sha256 = await findHash(host, session, hash);
  const deliverable = await host.deliverable(bond.id, session.thread, sha256);
  if (!deliverable) {
    const text = "this host does not hold that text: ask the peer to put it forward again";
    throw new AgentPairError("artifact_not_found", "policy", text);
  }
  if (out !== undefined) {
    writeNewFile(out, deliverable.text);
    return call.print({ artifact_hash: sha256, file: out }, () => out);
  }
  const turns = await host.turns(bond.id, session.thread);
  const by = turns.find((turn) => turn.deliverable?.sha256 === sha256)?.by ?? "peer";
  const author = (text: string) => words(by === "peer" ? bond.petname : undefined, text, Number.POSITIVE_INFINITY);
  const { kind, name, media_type, text } = deliverable;
  call.print(
    { artifact_hash: sha256, kind, name: author(name), media_type: author(media_type), text: author(text) },
    () => linesBy(by, text),
  );
}
