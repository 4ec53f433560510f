import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useAct } from "./act.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Trouble } from "./trouble.tsx";

interface ConfirmProps {
  /** On the button that asks the question. */
  ask: string;
  kind?: "danger" | "quiet";
  title: string;
  /** On the button that does it. */
  doIt: string;
  /** On the button that leaves it. */
  leave: string;
  onConfirm: () => Promise<unknown>;
  /** What will happen, and what else can be said with it. */
  children: ComponentChildren;
}

/** A button for what cannot be undone: it asks first, and says what went wrong. */
export function Confirm({ ask, kind = "danger", title, doIt, leave, onConfirm, children }: ConfirmProps) {
  const act = useAct();
  const isAsking = useSignal(false);
  const close = () => {
    isAsking.value = false;
    act.clear();
  };
  const confirm = async () => {
    if (await act.run(onConfirm)) close();
  };
  return (
    <>
      <Button
        kind={kind}
        onClick={() => {
          isAsking.value = true;
        }}
      >
        {ask}
      </Button>
      {isAsking.value && (
        <Dialog title={title} onClose={close}>
          {children}
          <Trouble error={act.error} />
          <div class="buttons">
            <Button kind="danger" busy={act.isBusy} onClick={() => void confirm()}>
              {doIt}
            </Button>
            <Button onClick={close}>{leave}</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
