// A key range with its ends in order form, so that a test costs two string comparisons.

import type { KeyRange } from "../contract/contract";
import { orderForm } from "../contract/key-order";

/** The `end` that means "to the end of the key space", like in etcd. */
export const KEY_SPACE_END = "\0";

export class Interval {
  readonly from: string;
  /** Excluded; undefined: to the end of the key space. */
  readonly to: string | undefined;
  /** Set when the range is one key. */
  readonly key: string | undefined;

  constructor({ start, end }: KeyRange) {
    this.from = orderForm(start);
    this.key = end === undefined ? start : undefined;
    // The first string after `start` ends a range of one key.
    this.to = end === undefined ? `${this.from}\0` : end === KEY_SPACE_END ? undefined : orderForm(end);
  }

  has(key: string): boolean {
    if (this.key !== undefined) return key === this.key;
    const form = orderForm(key);
    return form >= this.from && (this.to === undefined || form < this.to);
  }
}
