// One object as the store holds it: bytes under the last part of their key.
import { type KeyValue, orderForm } from "@orch/store";

export interface StoredItem extends Pick<KeyValue, "modRevision" | "value" | "mark"> {
  /** `[<namespace>/]<name>` */
  readonly path: string;
  /** The store's item, when a store in this process holds it; see `KeyValue.heldIn`. */
  readonly inStore?: KeyValue;
}

/** Returns the parts of an item that are kept under this path. */
export function storedItem(path: string, found: KeyValue): StoredItem {
  const { modRevision, mark } = found;
  const inStore = holderOf(found);
  if (inStore?.held !== undefined) return new HeldItem(path, inStore);
  const { value } = found;
  return {
    path,
    modRevision,
    value,
    ...(mark && { mark }),
    ...(inStore && { inStore }),
  };
}

/** An item whose value the store holds in served form. The value is computed on demand, and seldom needed. */
class HeldItem implements StoredItem {
  constructor(
    readonly path: string,
    readonly inStore: KeyValue,
  ) {}

  get modRevision(): number {
    return this.inStore.modRevision;
  }

  get value(): Buffer {
    return this.inStore.value;
  }
}

/** Returns the item if a store in this process holds it; undefined for a remote store. */
const holderOf = (item: KeyValue): KeyValue | undefined => (item.heldIn === undefined ? undefined : item);

/** Compares paths in the order of the store. */
export function byPath(a: StoredItem, b: StoredItem): number {
  const left = orderForm(a.path);
  const right = orderForm(b.path);
  return left < right ? -1 : left > right ? 1 : 0;
}
