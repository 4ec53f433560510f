// Pure text: what is made of the engine's code before it is handed over.

/** Where this page is. */
export interface PageAddress {
  origin: string;
  pathname: string;
}

/** The link of a code of form `link`: this page, with the code behind `#`, which no browser sends to a server. */
export function pageLink(code: string, { origin, pathname }: PageAddress): string {
  const [, fragment = code] = /^[^#]*#(.+)$/.exec(code) ?? [];
  return `${origin}${pathname}#${fragment}`;
}

/** Whether an address is of this machine only. */
export function isOfThisMachine(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
}

/** The pieces of a spoken code, in order. */
export function spokenPieces(code: string): string[] {
  return code.split("-");
}
