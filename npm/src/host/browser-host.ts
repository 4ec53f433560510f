import type { AgentPairError } from "../errors.js";
import { init } from "../load/browser.js";
import { inWorker } from "../load/in-worker.js";
import { resultOf } from "../store/idb.js";
import { explain } from "../store/idb-errors.js";
import { openExisting } from "../store/idb-schema.js";
import { IndexedDbStore } from "../store/indexeddb.js";
import type { Command, Decision } from "../wasm/agentpair.js";
import type { HereOptions, ShownItem } from "./decide-here.js";
import { Host, type HostParts } from "./host.js";
import { QuestionList } from "./human.js";
import { noMemory } from "./no-memory.js";
import { type PinWork, withoutKeys } from "./pin-work.js";
import { relayUrl } from "./relay-url.js";
import { safetyNumber } from "./safety-web.js";

/** The name of a store, unless said otherwise. */
export const DEFAULT_NAME = "agentpair";

/** How to open a host in a browser. */
export interface BrowserOptions {
  /** Name of the IndexedDB database that keeps its state; all tabs of the origin share it. `agentpair` unless said otherwise. */
  name?: string | undefined;
  /** Base URL of the relay for new pairings. There is none unless said: then each invite, and each join without a link, has to name one. */
  relay?: string | undefined;
  /** How the owner wants to be called by peers; as it was before, if absent. */
  label?: string | undefined;
  /** Whether this tab may talk to relays, when no other tab does; yes unless said otherwise. */
  network?: boolean | undefined;
  /** Told of errors that no caller waits for; they go to the console unless said otherwise. */
  onProblem?: ((error: AgentPairError) => void) | undefined;
}

const pinWork: PinWork = {
  prove: (records, task) =>
    inWorker<string | undefined>({ task: "prove", records: withoutKeys(records), ...task }).catch(noMemory),
  approver: (records, pin, current) =>
    inWorker<Command>({ task: "approver", records: withoutKeys(records), pin, current }).catch(noMemory),
};

/** A host whose state is in the browser, and whose human looks at the page. */
export class BrowserHost extends Host {
  /** The name of its store. */
  readonly name: string;

  private constructor(parts: HostParts, name: string) {
    super(parts);
    this.name = name;
  }

  /**
   * Opens the host of that name; a new one if there is none. Loads the protocol core if that was not done.
   *
   * @throws AgentPairError `storage_unavailable`, `storage_full`, `store_corrupt`, `store_too_new`, `store_in_use`,
   * `core_failed`, `invalid_argument`.
   */
  static async open(options: BrowserOptions = {}): Promise<BrowserHost> {
    const { name = DEFAULT_NAME, label } = options;
    const relay = options.relay === undefined ? "" : relayUrl(options.relay);
    await init();
    const parts: HostParts = {
      store: await IndexedDbStore.open(name),
      human: new QuestionList(),
      network: options.network ?? true,
      onProblem: options.onProblem ?? ((error) => console.error(`agentpair: ${error.message}`)),
      relay,
      safetyNumber,
      pinWork,
      kind: "page",
    };
    return Host.started(new BrowserHost(parts, name), label);
  }

  /** Whether there is a host of that name. @throws AgentPairError `storage_unavailable`. */
  static async exists(name: string = DEFAULT_NAME): Promise<boolean> {
    const database = await openExisting(name);
    if (!database) return false;
    try {
      if (!database.objectStoreNames.contains("records")) return false;
      return (await resultOf(database.transaction("records").objectStore("records").count())) > 0;
    } catch (error) {
      throw explain(error, name);
    } finally {
      database.close();
    }
  }

  /**
   * Decides an item as the human of this page saw it on the screen. It does not matter which tab asked.
   *
   * @param shown what the human saw: its `id` and `digest`.
   * @throws AgentPairError `pending_not_found` if it does not wait any more, or is not what was shown; `pin_required`,
   * `invalid_pin`, `attempts_exhausted`, `no_memory`.
   */
  decideHere(shown: ShownItem, decision: Decision, options: HereOptions = {}): Promise<Decision> {
    return this.decideOnScreen(shown, decision, options);
  }
}
