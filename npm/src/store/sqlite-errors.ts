import { AgentPairError } from "../errors.js";
import { corrupt } from "./schema.js";

/** SQLite's errors, and those of the file system, in words. */
export function explain(error: unknown, file: string): unknown {
  const { code, errcode, message } = error as { code?: string; errcode?: number; message?: string };
  if (code === "corrupt_record") return corrupt(file, "a record cannot be read", error);
  if (error instanceof AgentPairError || (code !== "ERR_SQLITE_ERROR" && !isSystem(error))) return error;
  // The low byte is SQLite's primary code: 11 is a corrupt database, 26 no database at all.
  const primary = (errcode ?? 0) & 0xff;
  if (code === "ERR_SQLITE_ERROR" && (primary === 11 || primary === 26)) return corrupt(file, String(message), error);
  const text = `cannot use the store ${file}: ${message}`;
  return new AgentPairError("store_failed", "caller", text, { cause: error });
}

function isSystem(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
