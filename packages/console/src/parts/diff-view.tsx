import { textDiff } from "../values/text-diff";
import "./diff-view.css";

interface Props {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}

const SIGNS = { added: "+", removed: "-", equal: " ", gap: " " };

/** The difference of two texts. */
export function DiffView({ before, after, label }: Props) {
  const lines = textDiff(before, after);
  if (lines.length === 0) return <p class="quiet">There is no difference.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached with the keyboard
    <section class="diff" aria-label={label} tabIndex={0}>
      {lines.map(({ kind, text }, index) => (
        <div key={index} class={kind}>
          <span class="sign">{SIGNS[kind]}</span>
          {text}
        </div>
      ))}
    </section>
  );
}
