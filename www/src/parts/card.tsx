import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** A piece of the page with a title. */
export function Card({ title, kind = "", children }: { title?: string; kind?: string; children: ComponentChildren }) {
  const id = useId();
  return (
    <section class={`card ${kind}`} {...(title && { "aria-labelledby": id })}>
      {title && <h2 id={id}>{title}</h2>}
      {children}
    </section>
  );
}
