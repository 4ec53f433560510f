import { useEffect } from "preact/hooks";

/**
 * Where what has the focus goes away, by what somebody did or by what has arrived, the keyboard goes on in the same
 * card, or at the content if that is gone too.
 */
export function useFoundFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    let card: HTMLElement | null = null;
    const note = () => {
      last = document.activeElement;
      card = last?.closest<HTMLElement>(".card") ?? null;
    };
    const find = () => {
      if (!last || last.isConnected || document.activeElement !== document.body) return;
      last = null;
      const place = card?.isConnected ? card : document.querySelector("main");
      if (!place) return;
      place.tabIndex = -1;
      place.focus({ preventScroll: true });
    };
    note();
    const observer = new MutationObserver(find);
    observer.observe(document.body, { childList: true, subtree: true });
    addEventListener("focusin", note);
    return () => {
      observer.disconnect();
      removeEventListener("focusin", note);
    };
  }, []);
}
