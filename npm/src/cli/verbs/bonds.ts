import { printable } from "../../host/approval-text.js";
import { scopeWords } from "../../mcp/frame.js";
import { untrusted, untrustedLines } from "../../untrusted.js";
import type { BondView } from "../../wasm/agentpair.js";
import type { Call } from "../call.js";
import { table } from "../shown.js";
import { ago, iso } from "../times.js";
import { act, type Verb } from "../verb.js";

export default {
  summary: "list the bonds, or show one",
  register(command) {
    command.argument("[peer]", "petname or id");
    act(command, bonds);
  },
} satisfies Verb;

async function bonds(call: Call, peer: string | undefined): Promise<void> {
  const host = await call.host({ network: false });
  if (peer !== undefined) {
    const bond = await host.bond(peer);
    return call.print(bondJson(bond), () => details(bond));
  }
  const [{ agentId, label }, all] = [await host.me(), await host.bonds()];
  call.print({ me: { agent_id: agentId, label }, bonds: all.map(bondJson) }, () => (all.length > 0 ? list(all) : []));
  if (all.length === 0) call.say("No bonds yet: `agentpair pair` makes an invite, `agentpair join` uses one.");
}

function list(all: readonly BondView[]): string[] {
  const row = (bond: BondView) => [printable(bond.petname), state(bond), verified(bond), ago(bond.peerSeenAt)];
  return table([["PEER", "STATUS", "SAFETY NUMBER", "HEARD OF"], ...all.map(row)]);
}

function details(bond: BondView): string[] {
  const { petname, id, peer, own, peerLabel, scope, mode, relay, peerSeenAt, peerLookedAt, undelivered } = bond;
  const looked = peerLookedAt === undefined ? "never, by its host's word" : `${ago(peerLookedAt)}, by its host's word`;
  return [
    printable(petname),
    ...(peerLabel === undefined ? [] : ["  calls itself:", ...untrustedLines(peerLabel)]),
    ...table([
      ["  bond", id],
      ["  status", state(bond)],
      ["  safety number", verified(bond)],
      ["  its id", peer],
      ["  your id", own],
      ["  for", scope.map(printable).join(", ")],
      ["  lives", mode === "bonded_contact" ? "until it is revoked" : "until its session closes"],
      ["  relay", printable(relay)],
      ["  heard of", ago(peerSeenAt)],
      ["  its agent looked", looked],
      ["  undelivered", String(undelivered)],
    ]),
  ];
}

function state({ status, isBraked }: BondView): string {
  const words = status.replaceAll("_", " ");
  return isBraked ? `${words}, agent stopped` : words;
}

function verified({ verification, mustVerify }: BondView): string {
  if (verification) return `verified ${ago(verification.at)}`;
  return mustVerify ? "must be verified" : "not verified";
}

/** A bond as it stands in JSON: as the tool `list_bonds` gives it, and the ids. */
function bondJson(bond: BondView) {
  const { petname, peerLabel, peer, own, createdAt, peerSeenAt, peerLookedAt } = bond;
  return {
    peer: petname,
    bond: bond.id,
    status: bond.status,
    verified: bond.verification !== undefined,
    must_verify: bond.mustVerify,
    scope: bond.scope.map((word) => scopeWords(petname, word)),
    mode: bond.mode,
    label: peerLabel === undefined ? undefined : untrusted(petname, peerLabel),
    agent_id: peer,
    own_agent_id: own,
    relay: bond.relay,
    created_at: iso(createdAt),
    peer_seen_at: iso(peerSeenAt),
    peer_looked_at: iso(peerLookedAt),
    undelivered: bond.undelivered,
    unattended: bond.unattended,
    braked: bond.isBraked,
  };
}
