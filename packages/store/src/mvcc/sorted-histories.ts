// The histories of all keys, with direct lookup by key and iteration in key order. The order is kept in blocks of a few
// hundred histories, so that inserting a key among 100,000 others moves hundreds of pointers, not all of them.

import { orderForm } from "../contract/key-order";
import type { HeldEvent } from "./held-item";
import type { Interval } from "./key-range";

const BLOCK_MAX = 512;

/** The events of one key, oldest first. Never empty while it is in the collection. */
export interface KeyHistory {
  readonly key: string;
  readonly order: string;
  readonly events: HeldEvent[];
}

export class SortedHistories {
  private readonly byKey = new Map<string, KeyHistory>();
  private readonly blocks: KeyHistory[][] = [];

  get(key: string): KeyHistory | undefined {
    return this.byKey.get(key);
  }

  /** Adds an event of a key. */
  add(key: string, event: HeldEvent): void {
    const known = this.byKey.get(key);
    if (known !== undefined) {
      known.events.push(event);
      return;
    }
    // An array literal with one element: an empty array would allocate room for many at its first push, and most keys
    // have one event.
    const history: KeyHistory = { key, order: orderForm(key), events: [event] };
    this.byKey.set(key, history);
    this.insert(history);
  }

  remove(history: KeyHistory): void {
    this.byKey.delete(history.key);
    const at = this.blockFor(history.order);
    const block = this.blocks[at];
    if (block === undefined) return;
    block.splice(lowerBound(block, history.order), 1);
    if (block.length === 0) this.blocks.splice(at, 1);
  }

  /** Visits the histories of the interval in key order until `visit` returns false. */
  walk(interval: Interval, visit: (history: KeyHistory) => boolean): void {
    if (interval.key !== undefined) {
      const history = this.byKey.get(interval.key);
      if (history !== undefined) visit(history);
      return;
    }
    const { from, to } = interval;
    this.walkFrom(from, (history) => (to === undefined || history.order < to) && visit(history));
  }

  /** Visits the histories from this order form on, in key order, until `visit` returns false. */
  walkFrom(from: string, visit: (history: KeyHistory) => boolean): void {
    for (let at = this.blockFor(from), first = true; at < this.blocks.length; at++, first = false) {
      const block = this.blocks[at] as KeyHistory[];
      for (let i = first ? lowerBound(block, from) : 0; i < block.length; i++) {
        if (!visit(block[i] as KeyHistory)) return;
      }
    }
  }

  private insert(history: KeyHistory): void {
    const at = this.blockFor(history.order);
    const block = this.blocks[at];
    if (block === undefined) {
      this.blocks.push([history]);
      return;
    }
    block.splice(lowerBound(block, history.order), 0, history);
    if (block.length <= BLOCK_MAX) return;
    // Keys mostly arrive in order: a full last block then stays full, and the new key begins the next one.
    const keep = block[block.length - 1] === history ? BLOCK_MAX : BLOCK_MAX / 2;
    this.blocks.splice(at + 1, 0, block.splice(keep));
  }

  /** Returns the last block that begins at or before `order`; otherwise the first one. */
  private blockFor(order: string): number {
    let low = 0;
    let high = this.blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (firstOf(this.blocks, middle).order <= order) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

const firstOf = (blocks: readonly KeyHistory[][], at: number) => (blocks[at] as KeyHistory[])[0] as KeyHistory;

/** Returns the first position whose history is at or after `order`. */
function lowerBound(block: readonly KeyHistory[], order: string): number {
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((block[middle] as KeyHistory).order < order) low = middle + 1;
    else high = middle;
  }
  return low;
}
