import { useState } from "preact/hooks";

interface Props {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  /** Id of the element with suggestions. */
  readonly list?: string;
  /** Takes the text, without spaces around it. */
  readonly choose: (text: string) => void;
}

/**
 * Labeled text field whose text counts when the user leaves it or presses Enter. The text stays when the page is rendered anew before that, and follows
 * the value when that changes.
 */
export function CommittedField({ label, value, choose, ...attributes }: Props) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    setText(value);
  }
  return (
    <label>
      {label}
      <input
        type="search"
        value={text}
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => choose(event.currentTarget.value.trim())}
        {...attributes}
      />
    </label>
  );
}
