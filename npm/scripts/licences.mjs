// The licences of what other packages' code a bundle holds.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The licence texts of every package of which something is in the bundle.
 *
 * @param {import("esbuild").Metafile} metafile
 * @param {string} directory to which the paths of the metafile are relative
 * @returns {string}
 * @throws if a package brings no text: then somebody has to look.
 */
export function licences(metafile, directory) {
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const places = new Set(used.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const packages = [...places].map((place) => describe(join(directory, place)));
  packages.sort((one, other) => (one.title < other.title ? -1 : 1));
  const head = "The files in bin/, chunks/ and mcp/ hold code of these packages, under these licences.";
  return [head, ...packages.map(({ title, text }) => `${"-".repeat(72)}\n${title}\n\n${text.trim()}`), ""].join("\n\n");
}

function describe(place) {
  const { name, version, license } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  const file = readdirSync(place).find((name) => /^licen[cs]e(\.(md|txt))?$/i.test(name));
  if (!file) throw new Error(`${name} ${version} (${license}) brings no licence text`);
  return { title: `${name} ${version} (${license})`, text: readFileSync(join(place, file), "utf8") };
}
