import { type McpServer, ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server";
import { type BondResult, bondResults } from "./bond.js";
import { bondsInOrder, findSession, sessionsInOrder } from "./find.js";
import { nameWords } from "./frame.js";
import { waitingList } from "./result.js";
import { Room } from "./room.js";
import { type SessionResult, sessionResult } from "./session.js";
import type { State } from "./state.js";
import { termsResult } from "./terms.js";
import { turnsPage } from "./turns.js";

const JSON_TYPE = "application/json";

/** Puts the resources on a server: what can be read without a tool, with the same frames and bounds. */
export function addResources(server: McpServer, { host, cap }: State): void {
  const add = (name: string, title: string, description: string, read: () => Promise<object>) => {
    const config = { title, description, mimeType: JSON_TYPE };
    server.registerResource(name, `agentpair://${name}`, config, async ({ href }) => contents(href, await read()));
  };
  add("bonds", "Bonds", "Who your human is bonded with.", async () => {
    return listWithin("bonds", await bondResults(host, await bondsInOrder(host)));
  });
  add("sessions", "Negotiations", "All sessions and whose turn it is.", async () => {
    const sessions = (await sessionsInOrder(host)).map(({ view, bond }) => sessionResult(view, bond));
    return listWithin("sessions", sessions);
  });
  add("approvals", "Approvals", "What waits for your human. The codes are not here.", () => waitingList(host));
  const template = new ResourceTemplate("agentpair://session/{peer}/{thread}", {
    list: async () => ({ resources: await sessionLinks() }),
  });
  const config = { title: "Negotiation", description: "One session with its terms and turns.", mimeType: JSON_TYPE };
  server.registerResource("session", template, config, async ({ href }, { peer, thread }) => {
    const { view, bond } = await findSession(host, decoded(thread), decoded(peer)).catch((error) => {
      throw error.blame === "policy" ? new ResourceNotFoundError(href) : error;
    });
    const [session, terms, room] = [sessionResult(view, bond), termsResult(view, bond), new Room()];
    for (const part of [session, terms]) room.take(part);
    const turns = turnsPage(await host.turns(bond.id, view.thread), bond, 0, 0, cap, room);
    return contents(href, { session, terms, ...turns });
  });

  async function sessionLinks() {
    const room = new Room();
    return (await sessionsInOrder(host)).flatMap(({ view: { thread }, bond: { petname: peer } }) => {
      // A name that cannot be shown as it is cannot stand in an address either.
      if (typeof nameWords(peer, thread) !== "string") return [];
      const uri = `agentpair://session/${encodeURIComponent(peer)}/${encodeURIComponent(thread)}`;
      const link = { uri, name: `session ${thread} with ${peer}`, mimeType: JSON_TYPE };
      return room.take(link) ? [link] : [];
    });
  }
}

/** As much of a list as a result may hold. */
function listWithin(name: string, list: (BondResult | SessionResult)[]): object {
  const room = new Room();
  const shown = list.filter((each) => room.take(each));
  return { [name]: shown, more: shown.length < list.length };
}

function contents(uri: string, value: object) {
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(value) }] };
}

function decoded(value: string | string[] | undefined): string {
  const text = String(value ?? "");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
