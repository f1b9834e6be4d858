// One object as the store has it: bytes, under the last part of their key.
import { type KeyValue, orderForm } from "@orch/store";

export interface StoredItem {
  /** `[<namespace>/]<name>` */
  readonly path: string;
  readonly modRevision: number;
  readonly value: Buffer;
  /** What the codec said of the value as it lies in the store, where this one is another; see `ValueCodec.isStale`. */
  readonly isStale?: boolean;
  /** What a store in this process holds of it; see `KeyValue.heldIn`. */
  readonly inStore?: KeyValue | undefined;
}

/** As an entry knows it: of a store elsewhere nothing. */
export const holderOf = (item: KeyValue): KeyValue | undefined => (item.heldIn === undefined ? undefined : item);

/** The order of the store. */
export function byPath(a: StoredItem, b: StoredItem): number {
  const left = orderForm(a.path);
  const right = orderForm(b.path);
  return left < right ? -1 : left > right ? 1 : 0;
}
