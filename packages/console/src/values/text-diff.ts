// The difference of two texts, line by line, with a few equal lines around each change.
import { diffLines } from "diff";

export interface DiffLine {
  readonly kind: "added" | "removed" | "equal" | "gap";
  readonly text: string;
}

/** Equal lines around a change. */
const CONTEXT = 3;
/** Steps of the comparison. Texts that differ more are shown as one removal and one addition. */
const MAX_EDITS = 5000;

/** Returns the lines of both texts; long parts without changes are a gap. Empty when the texts are equal. */
export function textDiff(before: string, after: string): DiffLine[] {
  if (before === after) return [];
  const changes = diffLines(before, after, { maxEditLength: MAX_EDITS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, added: true, removed: false },
  ];
  const lines = changes.flatMap(({ value, added, removed }): DiffLine[] => {
    const kind = added ? "added" : removed ? "removed" : "equal";
    return value
      .replace(/\n$/, "")
      .split("\n")
      .map((text) => ({ kind, text }));
  });
  return withGaps(lines);
}

function withGaps(lines: readonly DiffLine[]): DiffLine[] {
  const near = new Uint8Array(lines.length);
  for (const [index, { kind }] of lines.entries())
    if (kind !== "equal") near.fill(1, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
  const shown: DiffLine[] = [];
  for (const [index, line] of lines.entries()) {
    if (near[index]) shown.push(line);
    else if (shown.at(-1)?.kind !== "gap") shown.push({ kind: "gap", text: "…" });
  }
  return shown;
}
