#!/usr/bin/env node
// The command `agentpair`. Nothing is imported before the version of Node is known: an older one could fail on the way.

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 13)) {
  const { main } = await import("./main.js");
  await main(process.argv.slice(2));
} else {
  console.error(`agentpair needs Node.js 22.13 or newer; this is ${process.versions.node}`);
  process.exitCode = 1;
}

export {};
