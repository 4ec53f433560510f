import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { AgentPairError } from "../errors.js";
import { SqliteStore } from "../store/sqlite.js";
import { explain } from "../store/sqlite-errors.js";
import type { Keychain } from "../vault/keychain.js";
import { type PassphraseSource, passphraseFromEnvironment } from "../vault/passphrase.js";
import { ApprovalFiles } from "./approval-files.js";
import { Host, type HostParts } from "./host.js";
import { relayUrl } from "./relay-url.js";
import { safetyNumber } from "./safety-thread.js";

/** How to open a host in Node. */
export interface OpenOptions {
  /** Where its state is kept; several processes may share it. `AGENTPAIR_DATA_DIR`, else `~/.agentpair`. */
  dataDir?: string | undefined;
  /** Base URL of the relay for new pairings. `AGENTPAIR_RELAY_URL`, else `http://127.0.0.1:3001`. */
  relay?: string | undefined;
  /** How the owner wants to be called by peers; as it was before, if absent. */
  label?: string | undefined;
  /** Whether this process may talk to relays, when no other process of the directory does; yes unless said otherwise. */
  network?: boolean | undefined;
  /**
   * Where the passphrase comes from, if one protects the keys; the file that `AGENTPAIR_PASSPHRASE_FILE` names unless
   * said otherwise. Asked again whenever another process protects the keys otherwise.
   */
  passphrase?: PassphraseSource | undefined;
  /** Where the key of the keys is, if it is in a keychain; that of the operating system unless said otherwise. */
  keychain?: Keychain | undefined;
  /** Told of errors that no caller waits for; they go to standard error unless said otherwise. */
  onProblem?: ((error: AgentPairError) => void) | undefined;
}

/** A host whose state is in a directory, and whose human is asked by files in it. */
export class NodeHost extends Host {
  /** The directory of its state. */
  readonly dataDir: string;

  private constructor(parts: HostParts, dataDir: string) {
    super(parts);
    this.dataDir = dataDir;
  }

  /**
   * Opens the host of a directory; a new one if there is none.
   *
   * @throws AgentPairError `node_too_old`, `store_corrupt`, `store_too_new`, `store_not_private`, `store_failed`,
   * `invalid_argument`, `vault_locked`, `wrong_passphrase`, `keychain_unavailable`, `passphrase_file_not_private`,
   * `passphrase_file_failed`.
   */
  static async open(options: OpenOptions = {}): Promise<NodeHost> {
    const { env } = process;
    const dataDir = resolve(options.dataDir ?? env.AGENTPAIR_DATA_DIR ?? join(homedir(), ".agentpair"));
    const relay = relayUrl(options.relay ?? env.AGENTPAIR_RELAY_URL ?? "http://127.0.0.1:3001");
    const { passphrase = passphraseFromEnvironment(), keychain } = options;
    const store = await SqliteStore.open(dataDir, { passphrase, keychain });
    const parts: HostParts = {
      store,
      human: await approvalsIn(dataDir, store),
      network: options.network ?? true,
      onProblem: options.onProblem ?? ((error) => console.error(`agentpair: ${error.message}`)),
      relay,
      safetyNumber,
    };
    return Host.started(new NodeHost(parts, dataDir), options.label);
  }
}

/** The approval files of a directory. Where there can be none, its store is closed. */
async function approvalsIn(dataDir: string, store: SqliteStore): Promise<ApprovalFiles> {
  try {
    return new ApprovalFiles(dataDir);
  } catch (error) {
    await store.close();
    throw explain(error, store.file);
  }
}
