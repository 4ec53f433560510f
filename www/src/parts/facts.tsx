import "./facts.css";

/** What is known, label by label. */
export function Facts({ list }: { list: readonly (readonly [label: string, text: string])[] }) {
  return (
    <dl class="fact-list">
      {list.map(([label, text]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
