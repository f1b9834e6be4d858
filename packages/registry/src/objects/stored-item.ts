// One object as the store has it: bytes, under the last part of their key.
import { type KeyValue, orderForm } from "@orch/store";

export interface StoredItem extends Pick<KeyValue, "modRevision" | "value" | "mark"> {
  /** `[<namespace>/]<name>` */
  readonly path: string;
  /** What a store in this process holds of it; see `KeyValue.heldIn`. */
  readonly inStore?: KeyValue;
}

/** What is kept of an item that was read under this path. */
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

/** The value is cut out of other bytes, and by most never looked at. */
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

/** As an entry knows it: of a store elsewhere nothing. */
export const holderOf = (item: KeyValue): KeyValue | undefined => (item.heldIn === undefined ? undefined : item);

/** The order of the store. */
export function byPath(a: StoredItem, b: StoredItem): number {
  const left = orderForm(a.path);
  const right = orderForm(b.path);
  return left < right ? -1 : left > right ? 1 : 0;
}
