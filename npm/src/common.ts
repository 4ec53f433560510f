// What every platform exports.
export { AgentPairError, type Blame } from "./errors.js";
export { printable, shownLines } from "./host/approval-text.js";
export { Host as BaseHost, type HostParts } from "./host/host.js";
export { type Human, type Question, QuestionList } from "./host/human.js";
export type * from "./host/types.js";
export type { WaitOptions } from "./host/wait.js";
export { verifyReceipt } from "./receipt.js";
export type * from "./store/store.js";
export type {
  AuditRecord,
  BondStatus,
  BondView,
  Budget,
  Criterion,
  CriterionTest,
  Decision,
  Deliverable,
  DeliverableKind,
  Described,
  Event,
  FeedItem,
  Form,
  Headers,
  HostView,
  Mandate,
  Open,
  Opened,
  OutboxView,
  PairingView,
  ParsedCode,
  PendingView,
  Ratification,
  Role,
  SessionView,
  Shown,
  Side,
  SignedHead,
  Subject,
  TurnKind,
  TurnView,
  Verification,
  VerifiedReceipt,
} from "./wasm/agentpair.js";
// The protocol's primitives: they throw an `Error` with `code` and `blame`.
export { AgentId, Identity, keysDigest, PairKey, parseCode, Spake, verifyAudit } from "./wasm/agentpair.js";
