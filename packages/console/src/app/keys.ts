// Keys that work on every page: one key, or `g` and a second key.

/** Time in which the second key must follow. */
const SEQUENCE_MS = 1500;

export interface KeyActions {
  search(): void;
  help(): void;
  /** @param key the key after `g` @returns whether it leads somewhere */
  jump(key: string): boolean;
}

/** Recognizes the keys. It does not know the page, so that it can be tested without a browser. */
export class KeySequence {
  private startedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly actions: KeyActions) {}

  /** @param now in milliseconds of a monotonic clock @returns whether the key has had an effect */
  press(key: string, now: number): boolean {
    const isSecond = now - this.startedAt < SEQUENCE_MS;
    this.startedAt = Number.NEGATIVE_INFINITY;
    if (isSecond) return this.actions.jump(key);
    switch (key) {
      case "g":
        this.startedAt = now;
        return true;
      case "/":
        this.actions.search();
        return true;
      case "?":
        this.actions.help();
        return true;
      default:
        return false;
    }
  }
}

/** Follows the keys of the page, except where text is entered and while a dialog is open. */
export function followKeys(actions: KeyActions): () => void {
  const sequence = new KeySequence(actions);
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (takesText(event.composedPath()[0]) || document.querySelector("dialog[open]") !== null) return;
    if (sequence.press(event.key, performance.now())) event.preventDefault();
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}

const takesText = (target: EventTarget | undefined): boolean =>
  target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);
