// Lists concatenated by `+`, without copying. Otherwise, repeatedly concatenating a list with itself would allocate
// memory that is not charged.
import { ArrayList, CelList, type CelValue } from "./cel-value";
import type { Steps } from "./equality";

/** Maximum nesting of concatenations. Beyond it the elements are copied, and charged. */
const DEPTH_MAX = 32;

export class ConcatenatedList extends CelList {
  readonly size: number;
  private constructor(
    private readonly first: CelList,
    private readonly second: CelList,
    readonly depth: number,
  ) {
    super();
    this.size = first.size + second.size;
  }

  static of(first: CelList, second: CelList, steps: Steps): CelList {
    const merged = first.concat(second, steps);
    if (merged !== undefined) return merged;
    if (first.size === 0) return second;
    if (second.size === 0) return first;
    const depth = 1 + Math.max(depthOf(first), depthOf(second));
    const joined = new ConcatenatedList(first, second, depth);
    if (depth <= DEPTH_MAX) return joined;
    steps.step(joined.size * 2);
    return new ArrayList(Array.from({ length: joined.size }, (_, index) => joined.at(index)));
  }

  at(index: number): CelValue {
    let list: CelList = this;
    let rest = index;
    while (list instanceof ConcatenatedList) {
      if (rest < list.first.size) list = list.first;
      else {
        rest -= list.first.size;
        list = list.second;
      }
    }
    return list.at(rest);
  }
}

const depthOf = (list: CelList): number => (list instanceof ConcatenatedList ? list.depth : 0);
