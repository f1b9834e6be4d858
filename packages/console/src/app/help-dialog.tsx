import { Dialog } from "../parts/dialog";
import { jumps } from "./jumps";

const KEYS: readonly (readonly [keys: string, effect: string])[] = [
  ["/", "search for kinds and objects"],
  ["?", "show this help"],
  ["↑ ↓", "move in a table; j and k do the same"],
  ["PageUp PageDown Home End", "move further in a table"],
  ["Enter", "open the row"],
  ["Esc", "close a dialog"],
];

/** The keys that work in the console. */
export function HelpDialog({ close }: { readonly close: () => void }) {
  return (
    <Dialog title="Keys" close={close}>
      <dl class="keys">
        {KEYS.map(([keys, effect]) => (
          <KeyRow key={keys} keys={keys} effect={effect} />
        ))}
        {jumps().map(({ key, title }) => (
          <KeyRow key={key} keys={`g ${key}`} effect={title} />
        ))}
      </dl>
      <p class="buttons">
        <button type="button" onClick={close}>
          Close
        </button>
      </p>
    </Dialog>
  );
}

const KeyRow = ({ keys, effect }: { readonly keys: string; readonly effect: string }) => (
  <>
    <dt>
      <kbd>{keys}</kbd>
    </dt>
    <dd>{effect}</dd>
  </>
);
