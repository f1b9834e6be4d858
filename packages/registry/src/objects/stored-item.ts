// One object as the store has it: bytes, under the last part of their key.
import { type KeyValue, orderForm } from "@orch/store";

export interface StoredItem extends Pick<KeyValue, "modRevision" | "value" | "mark"> {
  /** `[<namespace>/]<name>` */
  readonly path: string;
}

/** What is kept of an item that was read under this path. */
export function storedItem(path: string, { modRevision, value, mark }: Omit<StoredItem, "path">): StoredItem {
  return mark === undefined ? { path, modRevision, value } : { path, modRevision, value, mark };
}

/** The order of the store. */
export function byPath(a: StoredItem, b: StoredItem): number {
  const left = orderForm(a.path);
  const right = orderForm(b.path);
  return left < right ? -1 : left > right ? 1 : 0;
}
