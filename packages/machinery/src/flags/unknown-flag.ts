// A flag that no table has: most are misspelt.
import type { FlagTable } from "./flag-table";

/** Letters that a misspelt name may have too many, too few or wrong; two that changed places count as two. */
const EDITS_MAX = 2;

/** Command lines are not trusted to be short. */
const NAME_CHARACTERS_MAX = 100;

/** Returns what to tell of a flag that is not in the table: the name that was probably meant, or where all of them are listed. */
export function unknownFlag(name: string, table: FlagTable): string {
  const meant = nearest(name, Object.keys(table));
  return `unknown flag: --${name}; ${meant === undefined ? "--help lists all flags" : `did you mean --${meant}?`}`;
}

function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > NAME_CHARACTERS_MAX) return undefined;
  const [best] = known
    .filter((each) => Math.abs(each.length - name.length) <= EDITS_MAX)
    .map((each) => ({ each, edits: editsBetween(name, each) }))
    .filter(({ each, edits }) => edits <= EDITS_MAX && edits < each.length / 2)
    .sort((a, b) => a.edits - b.edits);
  return best?.each;
}

/** Levenshtein distance, a row of the table at a time. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const [kept = 0, removed = 0, added = 0] = [row[j], row[j + 1], next[j]];
      next.push(Math.min(kept + (letter === other ? 0 : 1), removed + 1, added + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
