import { signal } from "@preact/signals";

/** Where somebody is on the page. */
export type Route =
  | { view: "home" | "invite" | "join" | "receipt" | "settings" | "help" | "replay" }
  | { view: "bond"; bond: string }
  | { view: "propose"; bond: string }
  | { view: "session"; bond: string; thread: string };

const PLAIN = ["invite", "join", "receipt", "settings", "help", "replay"] as const;

/** The address of a route: behind `#`, which no browser sends. */
export function addressOf(route: Route): string {
  switch (route.view) {
    case "home":
      return "#/";
    case "bond":
      return `#/bond/${encodeURIComponent(route.bond)}`;
    case "propose":
      return `#/bond/${encodeURIComponent(route.bond)}/propose`;
    case "session":
      return `#/bond/${encodeURIComponent(route.bond)}/session/${encodeURIComponent(route.thread)}`;
    default:
      return `#/${route.view}`;
  }
}

/** The route of an address; the first view for an unknown one. */
export function routeOf(hash: string): Route {
  const [first = "", second, third, fourth] = hash.replace(/^#\/?/, "").split("/").map(decoded);
  if (first === "bond" && second) {
    if (third === "propose") return { view: "propose", bond: second };
    if (third === "session" && fourth) return { view: "session", bond: second, thread: fourth };
    return { view: "bond", bond: second };
  }
  const view = PLAIN.find((name) => name === first);
  return view ? { view } : { view: "home" };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

/** The invite link with which the page was opened: in memory only. */
export const openedInvite = signal<string | undefined>(takeInvite());

/** An invite leaves the address at once: no history keeps it. */
function takeInvite(): string | undefined {
  const isInvite = /^#(?!\/).*\bi=/.test(location.hash);
  if (!isInvite) return undefined;
  const link = location.href;
  history.replaceState(null, "", `${location.pathname}${addressOf({ view: "join" })}`);
  return link;
}

/** Where we are. */
export const route = signal<Route>(routeOf(location.hash));

/** Goes somewhere. */
export function go(to: Route): void {
  location.hash = addressOf(to);
}

addEventListener("hashchange", () => {
  const link = takeInvite();
  if (link !== undefined) openedInvite.value = link;
  route.value = routeOf(location.hash);
});
