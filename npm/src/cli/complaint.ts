import { AgentPairError } from "../errors.js";
import { printable } from "../host/approval-text.js";

/** What an error says to whoever typed the command. */
export function inWords({ code, blame, message }: AgentPairError): string {
  const words = printable(message);
  return blame === "bug" ? `${words} (${code}): this is a fault of AgentPair, please report it` : words;
}

/** The first errors that a new user meets, with what to do about them here, on the command line. */
export function kinder(error: unknown, relay: string): unknown {
  if (!(error instanceof AgentPairError)) return error;
  const { code, blame } = error;
  const say = (text: string) => new AgentPairError(code, blame, text, { cause: error });
  switch (code) {
    case "relay_unreachable":
      return say(
        `no relay at ${relay}: ${isHere(relay) ? "start one with `agentpair relay`" : "is the address right, and does it run?"}`,
      );
    case "relay_nonsense":
      return say(
        `${relay} does not answer like a relay: is the address right? Change it with --relay or AGENTPAIR_RELAY_URL`,
      );
    case "invite_not_found":
      return say(`no such invite at ${relay}: are both on the same relay?`);
    default:
      return error;
  }
}

/** Whether a relay is on this machine. */
export function isHere(relay: string): boolean {
  const hostname = URL.canParse(relay) ? new URL(relay).hostname : "";
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
