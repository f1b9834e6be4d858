// Search for a free position in a range of values.

import type { AllocationContext, AllocationKey } from "@orch/machinery";

/** Finds a free position from a random start, so that concurrent writers rarely conflict. */
export function freePosition(
  size: number,
  context: AllocationContext,
  keyAt: (position: number) => AllocationKey,
): number | undefined {
  const start = Math.floor(context.random() * size);
  for (let step = 0; step < size; step += 1) {
    const position = (start + step) % size;
    if (!context.taken(keyAt(position))) return position;
  }
  return undefined;
}
