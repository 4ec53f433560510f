import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, sep } from "node:path";

/** How a client starts the server. */
export interface Server {
  command: string;
  args: string[];
  env: { [name: string]: string };
}

/** What stands where, so that a client starts the server. */
export interface ClientConfig {
  /** What to do with the text, and where. */
  where: string;
  text: string;
}

type Maker = (server: Server) => ClientConfig;

/** The clients whose configuration is known, by name. */
export const CLIENTS: { readonly [name: string]: Maker } = {
  "claude-desktop": (server) => ({
    where: `add this to ${claudeDesktopFile()}, and start Claude again`,
    text: json({ mcpServers: { agentpair: server } }),
  }),
  "claude-code": ({ command, args, env }) => ({
    where: "run this",
    text: [
      "claude mcp add agentpair",
      ...Object.entries(env).map(([name, value]) => `--env ${quoted(`${name}=${value}`)}`),
      "--",
      ...[command, ...args].map(quoted),
    ].join(" "),
  }),
  cursor: (server) => ({
    where: `add this to ${join(homedir(), ".cursor", "mcp.json")}`,
    text: json({ mcpServers: { agentpair: server } }),
  }),
  codex: ({ command, args, env }) => ({
    where: `add this to ${join(homedir(), ".codex", "config.toml")}`,
    text: [
      "[mcp_servers.agentpair]",
      `command = ${toml(command)}`,
      `args = [${args.map(toml).join(", ")}]`,
      ...(Object.keys(env).length === 0
        ? []
        : [
            "",
            "[mcp_servers.agentpair.env]",
            ...Object.entries(env).map(([name, value]) => `${name} = ${toml(value)}`),
          ]),
    ].join("\n"),
  }),
  vscode: (server) => ({
    where:
      "add this to .vscode/mcp.json of your folder, or to the one that the command “MCP: Open User Configuration” opens",
    text: json({ servers: { agentpair: { type: "stdio", ...server } } }),
  }),
};

/** How this very program is started again by a client: by npx if that brought it here, else by its path. */
export function thisServer(env: { [name: string]: string }): Server {
  const program = realpathSync(process.argv[1] ?? "");
  if (program.split(sep).includes("_npx")) return { command: "npx", args: ["-y", "agentpair", "mcp"], env };
  return { command: process.execPath, args: [program, "mcp"], env };
}

function claudeDesktopFile(): string {
  const name = "claude_desktop_config.json";
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "Claude", name);
  if (process.platform === "win32") return join("%APPDATA%", "Claude", name);
  return join(homedir(), ".config", "Claude", name);
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

/** A basic string of TOML has the escapes of JSON. */
function toml(text: string): string {
  return JSON.stringify(text);
}

/** A word for a POSIX shell. */
function quoted(word: string): string {
  return /^[A-Za-z0-9_/.:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
