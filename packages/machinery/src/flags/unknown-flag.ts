// A flag that no table has: most are misspelt.
import { editsBetween } from "../values/edits-between";
import type { FlagTable } from "./flag-table";

/** Maximum number of letters that a misspelt name has too many, too few, wrong or exchanged with a neighbour. */
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
