import type { AgentPairError } from "../errors.js";

/** The exit codes of the command line. */
export const EXIT = {
  /** It was done. */
  done: 0,
  /** It failed. */
  failed: 1,
  /** The command was not used as it is meant. */
  usage: 2,
  /** A rule or a state does not allow it. */
  refused: 3,
  /** A relay cannot be used. */
  relay: 4,
  /** A human said no, or nothing was decided, or came, in time. */
  undecided: 5,
  /** A fault of this program. */
  bug: 70,
  /** Ended by Ctrl-C. */
  interrupted: 130,
  /** Ended by SIGTERM. */
  terminated: 143,
} as const;

/** A human's no on either side, and waits that ended without anything. */
const UNDECIDED = ["approval_declined", "rejected", "timeout", "undecided"];
/** What the caller can mend by typing something else. */
const USAGE = ["invalid_argument", "invalid_budget", "deliverable_not_canonical"];

/** The exit code of an error. */
export function exitCode({ code, blame }: AgentPairError): number {
  if (UNDECIDED.includes(code)) return EXIT.undecided;
  if (USAGE.includes(code)) return EXIT.usage;
  if (blame === "policy") return EXIT.refused;
  if (blame === "relay") return EXIT.relay;
  return blame === "bug" ? EXIT.bug : EXIT.failed;
}
