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
  HostView,
  Mandate,
  Open,
  OutboxView,
  PairingView,
  PendingView,
  Ratification,
  Role,
  SessionView,
  Shown,
  Side,
  Subject,
  TurnKind,
  TurnView,
  Verification,
  VerifiedReceipt,
} from "./wasm/agentpair.js";
