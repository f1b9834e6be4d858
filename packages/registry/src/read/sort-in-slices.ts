// Sorts many values without holding the event loop: short runs are sorted at once and then merged in parts.
import type { EventLoopYielder } from "@orch/platform";

/** Number of values of a run, and number of merged values between two checks of the turn's time. */
const RUN = 1024;

/** Returns the values in order. Equal values keep their order. */
export async function sortInSlices<Value>(
  values: Value[],
  compare: (one: Value, other: Value) => number,
  loop: EventLoopYielder,
): Promise<Value[]> {
  if (values.length <= RUN) return values.sort(compare);
  const runs: Value[][] = [];
  for (let at = 0; at < values.length; at += RUN) {
    runs.push(values.slice(at, at + RUN).sort(compare));
    await loop.pause();
  }
  let level = runs;
  while (level.length > 1) {
    const merged: Value[][] = [];
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = [level[at] as Value[], level[at + 1]];
      merged.push(right === undefined ? left : await mergedRuns(left, right, compare, loop));
    }
    level = merged;
  }
  return level[0] as Value[];
}

async function mergedRuns<Value>(
  left: readonly Value[],
  right: readonly Value[],
  compare: (one: Value, other: Value) => number,
  loop: EventLoopYielder,
): Promise<Value[]> {
  const merged: Value[] = [];
  let [atLeft, atRight] = [0, 0];
  while (atLeft < left.length || atRight < right.length) {
    const end = merged.length + RUN;
    for (; merged.length < end && (atLeft < left.length || atRight < right.length); ) {
      const takesLeft =
        atRight === right.length ||
        (atLeft < left.length && compare(left[atLeft] as Value, right[atRight] as Value) <= 0);
      merged.push((takesLeft ? left[atLeft] : right[atRight]) as Value);
      if (takesLeft) atLeft += 1;
      else atRight += 1;
    }
    await loop.pause();
  }
  return merged;
}
