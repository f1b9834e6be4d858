// Lists that show how they begin. Source: facts, columns.json "MORE3".

const SHOWN = 3;

/** The first three, and how many more there are: `a,b,c + 2 more...`. */
export function shortenedList(items: readonly string[]): string {
  const shown = items.slice(0, SHOWN).join(",");
  return items.length > SHOWN ? `${shown} + ${items.length - SHOWN} more...` : shown;
}
