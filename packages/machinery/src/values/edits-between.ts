// Distance of two words, for suggestions.

/** Counts insertions, deletions, replacements and exchanges of neighbours that make one text of the other. */
export function editsBetween(one: string, other: string): number {
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
