// Suggestion for a mistyped resource: the name with the fewest edits.
import type { DiscoveredResource } from "@orch/client";

/** Maximum length of a name that is compared. */
const LENGTH_MAX = 64;

/** Returns the name of a resource that differs in few letters; undefined when none is likely. */
export function likelyName(name: string, resources: readonly DiscoveredResource[]): string | undefined {
  if (name.length > LENGTH_MAX) return undefined;
  const wanted = name.toLowerCase();
  const most = wanted.length <= 4 ? 1 : 2;
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const { resource, singular, shortNames } of resources) {
    for (const each of [resource, singular, ...shortNames]) {
      if (Math.abs(each.length - wanted.length) > most) continue;
      const edits = editsBetween(wanted, each);
      if (edits <= most && (best === undefined || edits < best.edits)) best = { name: each, edits };
    }
  }
  return best?.name;
}

/** Counts insertions, deletions, replacements and exchanges of neighbours. */
function editsBetween(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const isSame = one[row - 1] === other[at - 1];
      const swapped =
        row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]
          ? (before[at - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY;
      const replaced = (last[at - 1] ?? 0) + (isSame ? 0 : 1);
      next.push(Math.min((last[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, replaced, swapped));
    }
    before = last;
    last = next;
  }
  return last[other.length] ?? 0;
}
