// Shortened lists in table columns. Source: pkg/printers/internalversion/printers.go.

const SHOWN = 3;

/** Formats the first three items and the number of the others: `a,b,c + 2 more...`. */
export const shortenedList = (items: readonly string[]): string => shortenedText(items, items.length);

/**
 * Formats a shortened list without generating all items. @param items only the first ones are read @param count number
 * of all items
 */
export function shortenedText(items: Iterable<string>, count: number): string {
  const shown: string[] = [];
  for (const item of items) {
    if (shown.length === SHOWN) break;
    shown.push(item);
  }
  const text = shown.join(",");
  return count > SHOWN ? `${text} + ${count - SHOWN} more...` : text;
}
