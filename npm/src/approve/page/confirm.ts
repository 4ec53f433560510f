import type { PageItem } from "../page-items.js";
import { CallFailed, type Decided, decide } from "./calls.js";
import { button, digest, element } from "./card.js";

const WORDS = {
  approve: { title: "Approve this?", yes: "Approve", done: "Approved." },
  reject: { title: "Reject this?", yes: "Reject", done: "Rejected." },
} as const;

/** Asks once more, and for the PIN where one is set. Resolves with words for what came of it, or nothing. */
export function confirmed(
  item: PageItem,
  decision: "approve" | "reject",
  needsPin: boolean,
): Promise<string | undefined> {
  const { title, yes, done } = WORDS[decision];
  const pin = field("PIN", "password");
  const reason = field("Words for the other side (you may leave this empty)", "text");
  reason.input.maxLength = 200;
  const trouble = element("p", "trouble");
  trouble.setAttribute("role", "alert");
  const back = button("", "Back", () => dialog.close());
  const submit = element("button", decision, yes);
  const fields = [...(needsPin ? [pin.label] : []), ...(decision === "reject" ? [reason.label] : [])];
  const heading = element("h2", "", title);
  heading.id = "confirm-title";
  const form = element("form", "", heading, element("p", "", item.question), element("p", "meta", digest(item)));
  form.append(...fields, trouble, element("div", "buttons", submit, back));
  const dialog = element("dialog", "", form);
  dialog.setAttribute("aria-labelledby", heading.id);
  document.body.append(dialog);

  return new Promise((resolve) => {
    let outcome: string | undefined;
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(outcome);
    });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const word: Decided = { decision };
      if (needsPin) word.pin = pin.input.value;
      if (decision === "reject") word.reason = reason.input.value;
      submit.disabled = true;
      trouble.textContent = needsPin ? "Checking the PIN…" : "";
      try {
        await decide(item, word);
        outcome = `${done} ${item.question}`;
        dialog.close();
      } catch (error) {
        const { code, message } = error instanceof CallFailed ? error : { code: "", message: String(error) };
        trouble.textContent = sentence(message);
        pin.input.value = "";
        submit.disabled = code === "attempts_exhausted" || code === "pending_not_found";
        if (!submit.disabled && needsPin) pin.input.focus();
      }
    });
    dialog.showModal();
    if (!needsPin && decision === "approve") back.focus();
  });
}

function field(text: string, type: "password" | "text") {
  const input = element("input", "");
  input.type = type;
  input.autocomplete = "off";
  input.spellcheck = false;
  return { input, label: element("label", "", element("span", "", text), input) };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? "" : "."}`;
}
