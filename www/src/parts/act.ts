import { useSignal } from "@preact/signals";

/** Something that takes time, and may fail: whether it is under way, and how it failed. */
export interface Act {
  isBusy: boolean;
  error: unknown;
  /** Runs it, unless one is under way. Resolves with whether it succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>;
  /** Forgets the error. */
  clear(): void;
}

/** For buttons and forms. */
export function useAct(): Act {
  const isBusy = useSignal(false);
  const error = useSignal<unknown>(undefined);
  return {
    isBusy: isBusy.value,
    error: error.value,
    clear: () => {
      error.value = undefined;
    },
    run: async (work) => {
      if (isBusy.value) return false;
      isBusy.value = true;
      error.value = undefined;
      try {
        await work();
        return true;
      } catch (thrown) {
        error.value = thrown;
        return false;
      } finally {
        isBusy.value = false;
      }
    },
  };
}
