import { AgentPairError } from "../errors.js";
import { DEFAULT_NAME } from "../host/browser-host.js";
import { deleteDatabase, isOurs, openExisting } from "../store/idb-schema.js";
import { noStore } from "./backup-web.js";

/**
 * Removes an AgentPair from the browser: its database, with the key that protected its keys. Tabs that use it stop, and
 * say so. No peer is told. Nothing can be brought back, except from a backup.
 *
 * @throws AgentPairError `no_store`, `not_ours`, `store_in_use`, `storage_unavailable`.
 */
export async function wipe(name: string = DEFAULT_NAME): Promise<void> {
  const database = await openExisting(name);
  if (!database) throw noStore(name);
  const isForeign = database.objectStoreNames.length > 0 && !isOurs(database);
  database.close();
  if (isForeign) {
    const text = `the database "${name}" of this page is not one of AgentPair: nothing was removed`;
    throw new AgentPairError("not_ours", "policy", text);
  }
  await deleteDatabase(name);
}
