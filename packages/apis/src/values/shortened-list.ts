// Lists that show how they begin. Source: facts, columns.json "MORE3".

const SHOWN = 3;

/** The first three, and how many more there are: `a,b,c + 2 more...`. */
export const shortenedList = (items: readonly string[]): string => shortenedText(items, items.length);

/** `a,b,c + 2 more...`, without making all items. @param items asked for the first three only. @param count of all */
export function shortenedText(items: Iterable<string>, count: number): string {
  const shown: string[] = [];
  for (const item of items) {
    if (shown.length === SHOWN) break;
    shown.push(item);
  }
  const text = shown.join(",");
  return count > SHOWN ? `${text} + ${count - SHOWN} more...` : text;
}
