import type { Tool } from "../tool.js";
import { artifactPut } from "./artifact_put.js";
import { atestRun } from "./atest_run.js";
import { auditExport } from "./audit_export.js";
import { close } from "./close.js";
import { humanApprove } from "./human_approve.js";
import { inbox } from "./inbox.js";
import { inboxWait } from "./inbox_wait.js";
import { listBonds } from "./list_bonds.js";
import { pairInit } from "./pair_init.js";
import { pairInitComplete } from "./pair_init_complete.js";
import { pairJoin } from "./pair_join.js";
import { receipt } from "./receipt.js";
import { revoke } from "./revoke.js";
import { safetyNumber } from "./safety_number.js";
import { send } from "./send.js";
import { sessionExtendBudget } from "./session_extend_budget.js";
import { sessionMsg } from "./session_msg.js";
import { sessionOpen } from "./session_open.js";
import { sessionSign } from "./session_sign.js";
import { sessionStatus } from "./session_status.js";

/** All tools, in the order in which they are used. */
export const TOOLS: readonly Tool[] = [
  pairInit,
  pairJoin,
  pairInitComplete,
  humanApprove,
  listBonds,
  safetyNumber,
  send,
  inbox,
  inboxWait,
  sessionOpen,
  sessionMsg,
  sessionSign,
  sessionStatus,
  sessionExtendBudget,
  artifactPut,
  atestRun,
  receipt,
  auditExport,
  close,
  revoke,
];
