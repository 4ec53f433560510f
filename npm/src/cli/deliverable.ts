import { basename, extname } from "node:path";
import type { Deliverable, DeliverableKind } from "../wasm/agentpair.js";
import { readNamedFile } from "./files.js";
import { decode } from "./stdin.js";

/** What a file may be, by what is at the end of its name. */
const SORTS: { readonly [extension: string]: readonly [DeliverableKind, string] } = {
  ".json": ["json", "application/json"],
  ".md": ["text", "text/markdown"],
  ".yaml": ["text", "application/yaml"],
  ".yml": ["text", "application/yaml"],
};

/** How a file is described, where its name does not say enough. */
export interface DeliverableOptions {
  kind?: DeliverableKind;
  mediaType?: string;
  name?: string;
}

/** The kinds that there are. */
export const KINDS: readonly DeliverableKind[] = ["text", "json", "openapi", "slot", "sow"];

/**
 * A file as a deliverable: exactly its bytes.
 *
 * @throws AgentPairError `file_failed`, `invalid_argument` if it is not UTF-8.
 */
export function deliverableOf(file: string, { kind, mediaType, name }: DeliverableOptions): Deliverable {
  const [sort, media] = SORTS[extname(file).toLowerCase()] ?? ["text", "text/plain"];
  return {
    kind: kind ?? sort,
    media_type: mediaType ?? media,
    name: name ?? basename(file),
    text: decode(readNamedFile(file), file),
  };
}
