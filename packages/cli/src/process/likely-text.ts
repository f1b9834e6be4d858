// Suggestion for a mistyped name in a list of names.
import { editsBetween } from "@orch/machinery";

const LENGTH_MAX = 64;
/** Maximum number of names that are compared. */
const NAMES_MAX = 2000;

/** Returns ` (did you mean "x"?)`, or "" when no name is likely. */
export function likelyText(name: string, names: readonly string[]): string {
  if (name.length > LENGTH_MAX) return "";
  const most = name.length <= 4 ? 1 : 2;
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const each of names.slice(0, NAMES_MAX)) {
    if (Math.abs(each.length - name.length) > most) continue;
    const edits = editsBetween(name.toLowerCase(), each.toLowerCase());
    if (edits <= most && (best === undefined || edits < best.edits)) best = { name: each, edits };
  }
  return best === undefined ? "" : ` (did you mean ${JSON.stringify(best.name)}?)`;
}
