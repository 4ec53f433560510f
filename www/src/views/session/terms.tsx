import { Facts } from "../../parts/facts.tsx";
import { Exact, PeerText } from "../../parts/peer-text.tsx";
import { moment, spoken, words } from "../../words/language.ts";
import type { Room } from "./room.ts";

const room = words(
  {
    goal: "What shall be agreed",
    criteria: "What must be true",
    judged: "You judge these yourself: the page checks none of them.",
    none: "Nothing in particular was said.",
    by: "Deadline",
    noDeadline: "not understood",
    turns: "Turns of both sides together",
    agents: "What agents may do by themselves",
    humans: "What only people do",
    escalate: "When agents ask their people",
    runner: (name: string) => `to be tested by ${name}`,
  },
  {
    goal: "Yang ingin disepakati",
    criteria: "Yang harus terpenuhi",
    judged: "Anda sendiri yang menilainya: halaman ini tidak memeriksanya.",
    none: "Tidak ada yang khusus.",
    by: "Tenggat",
    noDeadline: "tidak dimengerti",
    turns: "Giliran kedua pihak bersama",
    agents: "Yang boleh dilakukan agen sendiri",
    humans: "Yang hanya dilakukan manusia",
    escalate: "Kapan agen bertanya kepada orangnya",
    runner: (name: string) => `diuji dengan ${name}`,
  },
);

/** What was said at the beginning: whoever opened the negotiation wrote it. */
export function Terms({ room: { view, bond } }: { room: Room }) {
  const w = spoken(room);
  const { goal, acceptance, budget, mandate } = view.terms;
  const deadline = Date.parse(budget.deadline);
  const criteria = acceptance.map(({ id, desc, runner, test }) => {
    const how = test === "executable" && runner !== undefined ? ` (${w.runner(runner)})` : "";
    return `${id}: ${desc}${how}`;
  });
  const lists: [string, readonly string[]][] = [
    [w.agents, mandate.agent_may],
    [w.humans, mandate.human_required],
    [w.escalate, mandate.escalate_on ?? []],
  ];
  const facts: [string, string][] = [
    [w.by, Number.isNaN(deadline) ? w.noDeadline : moment(deadline)],
    [w.turns, String(view.maxTurns)],
  ];
  const by = view.openedBy === "peer" ? bond.petname : undefined;
  return (
    <>
      <h3>{w.goal}</h3>
      <Words by={by} text={goal} />
      <h3>{w.criteria}</h3>
      {criteria.length === 0 ? <p>{w.none}</p> : <Words by={by} text={criteria.join("\n")} />}
      {criteria.length > 0 && <p class="hint">{w.judged}</p>}
      <Facts list={facts} />
      {lists.map(
        ([label, acts]) =>
          acts.length > 0 && (
            <div key={label}>
              <h3>{label}</h3>
              <Words by={by} text={acts.join(", ")} />
            </div>
          ),
      )}
    </>
  );
}

/** Words of the one who opened it; `by` is the other side's name, if it did. */
function Words({ by, text }: { by: string | undefined; text: string }) {
  return by === undefined ? <Exact text={text} /> : <PeerText by={by} text={text} />;
}
