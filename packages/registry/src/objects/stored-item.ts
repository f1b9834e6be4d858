// One object as the store has it: bytes, under the last part of their key.
import { orderForm } from "@orch/store";

export interface StoredItem {
  /** `[<namespace>/]<name>` */
  readonly path: string;
  readonly modRevision: number;
  readonly value: Buffer;
  /** What the codec said of the value as it lies in the store, where this one is another; see `ValueCodec.isStale`. */
  readonly isStale?: boolean;
}

/** The order of the store. */
export function byPath(a: StoredItem, b: StoredItem): number {
  const left = orderForm(a.path);
  const right = orderForm(b.path);
  return left < right ? -1 : left > right ? 1 : 0;
}
