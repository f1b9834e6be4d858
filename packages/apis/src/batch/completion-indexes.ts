// Lists of completion indexes of indexed jobs, such as `0-2,5`. Source: Kubernetes documentation, "Jobs", "Success
// policy"; pkg/apis/batch/validation/validation.go.

export interface Interval {
  readonly first: number;
  readonly last: number;
}

export type ParsedIndexes =
  | { readonly intervals: readonly Interval[]; readonly count: number }
  | { readonly error: string };

/** Parses a list in increasing order. @param completions number of indexes of the job */
export function parseIndexes(text: string, completions: number): ParsedIndexes {
  if (text === "") return { intervals: [], count: 0 };
  const intervals: Interval[] = [];
  let count = 0;
  let previous: number | undefined;
  for (const part of text.split(",")) {
    const interval = intervalOf(part, completions);
    if (typeof interval === "string") return { error: interval };
    if (previous !== undefined && previous >= interval.first) {
      return { error: `non-increasing order, previous: ${previous}, current: ${interval.first}` };
    }
    intervals.push(interval);
    count += interval.last - interval.first + 1;
    previous = interval.last;
  }
  return { intervals, count };
}

/** Parses one interval. @returns the error for an invalid one */
function intervalOf(part: string, completions: number): Interval | string {
  const bounds = part.split("-");
  if (bounds.length > 2) return `an index interval has at most two parts separated by '-': ${JSON.stringify(part)}`;
  const numbers: number[] = [];
  for (const bound of bounds) {
    if (!/^\d{1,10}$/.test(bound)) return `cannot convert string to integer for index: ${JSON.stringify(bound)}`;
    if (Number(bound) >= completions) return `too large index: ${JSON.stringify(bound)}`;
    numbers.push(Number(bound));
  }
  const [first = 0, last = first] = numbers;
  if (bounds.length === 2 && first >= last) return `non-increasing order, previous: ${first}, current: ${last}`;
  return { first, last };
}

/** Returns the first index that both lists have; undefined when there is none. */
export function firstCommonIndex(one: readonly Interval[], other: readonly Interval[]): number | undefined {
  let [a, b] = [0, 0];
  while (a < one.length && b < other.length) {
    const [left, right] = [one[a] as Interval, other[b] as Interval];
    const first = Math.max(left.first, right.first);
    if (first <= Math.min(left.last, right.last)) return first;
    if (left.last < right.last) a += 1;
    else b += 1;
  }
  return undefined;
}
