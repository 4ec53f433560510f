import { readFileSync } from "node:fs";

/** A file of the page. */
export interface PageFile {
  type: string;
  bytes: Buffer;
}

const TYPES = { html: "text/html", css: "text/css", js: "text/javascript" } as const;
const NAMES = ["index.html", "style.css", "main.js", "card.js", "confirm.js", "calls.js"];

/** The files of the page, by their paths. There are no others. */
export function pageFiles(): Map<string, PageFile> {
  const files = NAMES.map((name): [string, PageFile] => {
    const type = TYPES[name.split(".")[1] as keyof typeof TYPES];
    const bytes = readFileSync(new URL(`./page/${name}`, import.meta.url));
    return [name === "index.html" ? "/" : `/${name}`, { type: `${type}; charset=utf-8`, bytes }];
  });
  return new Map(files);
}
