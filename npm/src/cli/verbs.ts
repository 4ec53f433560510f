import type { Verb } from "./verb.js";

/** A verb's file, loaded when it is asked for. */
type Loader = () => Promise<{ default: Verb }>;

/** Every verb, in the groups and the order in which help lists them. */
export const GROUPS: { readonly [heading: string]: { readonly [name: string]: Loader } } = {
  "Pair:": {
    pair: () => import("./verbs/pair.js"),
    join: () => import("./verbs/join.js"),
    bonds: () => import("./verbs/bonds.js"),
    rename: () => import("./verbs/rename.js"),
    safety: () => import("./verbs/safety.js"),
    "verify-peer": () => import("./verbs/verify-peer.js"),
    revoke: () => import("./verbs/revoke.js"),
  },
  "Talk:": {
    send: () => import("./verbs/send.js"),
    inbox: () => import("./verbs/inbox.js"),
  },
  "Agree:": {
    session: () => import("./verbs/session.js"),
    receipt: () => import("./verbs/receipt.js"),
    verify: () => import("./verbs/verify.js"),
  },
  "Decide:": {
    approve: () => import("./verbs/approve.js"),
    pin: () => import("./verbs/pin.js"),
    resume: () => import("./verbs/resume.js"),
  },
  "Keep:": {
    audit: () => import("./verbs/audit.js"),
    keys: () => import("./verbs/keys.js"),
    backup: () => import("./verbs/backup.js"),
    restore: () => import("./verbs/restore.js"),
    wipe: () => import("./verbs/wipe.js"),
  },
  "Run:": {
    mcp: () => import("./verbs/mcp.js"),
    relay: () => import("./verbs/relay.js"),
    doctor: () => import("./verbs/doctor.js"),
    completion: () => import("./verbs/completion.js"),
  },
};
