import { useSignal } from "@preact/signals";
import type { BondView } from "agentpair";
import { openHost } from "../../live.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { LONGEST_NAME, nameOf } from "../../parts/name.ts";
import { Trouble } from "../../parts/trouble.tsx";
import { spoken, words } from "../../words/language.ts";

const room = words(
  {
    rename: "Rename",
    name: "Your name for them",
    hint: "Only you see it.",
    save: "Save",
    cancel: "Cancel",
  },
  {
    rename: "Ganti nama",
    name: "Nama dari Anda untuknya",
    hint: "Hanya Anda yang melihatnya.",
    save: "Simpan",
    cancel: "Batal",
  },
);

/** The owner's name for the other side, and how to change it. */
export function Rename({ bond }: { bond: BondView }) {
  const w = spoken(room);
  const act = useAct();
  const name = useSignal<string | undefined>(undefined);
  const close = () => {
    name.value = undefined;
    act.clear();
  };
  const save = async () => {
    const host = await openHost();
    await host.rename(bond.id, name.value?.trim() ?? "");
    close();
  };
  if (name.value === undefined) {
    return (
      <div class="name">
        <h1>{nameOf(bond)}</h1>
        <Button
          kind="quiet"
          onClick={() => {
            name.value = bond.petname;
          }}
        >
          {w.rename}
        </Button>
      </div>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void act.run(save);
      }}
    >
      <h1>{nameOf(bond)}</h1>
      <Field label={w.name} hint={w.hint}>
        {(ties) => (
          <input
            {...ties}
            required
            maxLength={LONGEST_NAME}
            autocomplete="off"
            ref={(field) => field?.focus()}
            value={name.value}
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
        )}
      </Field>
      <Trouble error={act.error} />
      <div class="buttons">
        <Button kind="primary" submit busy={act.isBusy}>
          {w.save}
        </Button>
        <Button onClick={close}>{w.cancel}</Button>
      </div>
    </form>
  );
}
