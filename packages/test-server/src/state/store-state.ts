// Snapshots of a store in memory: takes the whole content, and writes it back as ordinary changes. The server's caches
// and the clients' watches follow these changes as they follow all others, and revisions only ever grow.
import type { KeyValue, Operation, Store } from "@orch/store";

/** The content of a store at one time. Values are shared with the store, which never changes them. */
export interface StoreContent {
  readonly items: ReadonlyMap<string, Pick<KeyValue, "value" | "lease">>;
}

const EVERYTHING = { start: "\0", end: "\0" } as const;
/** Number of operations in one transaction. A store refuses much larger ones. */
const TRANSACTION_OPERATIONS = 100;

export async function contentOf(store: Store): Promise<StoreContent> {
  const { items } = await store.range(EVERYTHING);
  return { items: new Map(items.map(({ key, value, lease }) => [key, { value, lease }])) };
}

/**
 * Writes a content back: deletes keys that it does not have, and puts those that differ. Keys of leases that have ended
 * are deleted.
 * @returns the revision of the store afterwards, and the number of keys that changed
 */
export async function writeContent(
  store: Store,
  { items }: StoreContent,
): Promise<{ readonly revision: number; readonly changed: number }> {
  const now = await store.range(EVERYTHING);
  const present = new Map(now.items.map((item) => [item.key, item]));
  const operations: Operation[] = [];
  for (const { key } of now.items) if (!items.has(key)) operations.push({ kind: "delete", start: key });
  for (const [key, { value, lease }] of items) {
    const found = present.get(key);
    if (found?.value.equals(value) === true) continue;
    if (lease === 0) operations.push({ kind: "put", key, value });
    else if (found !== undefined) operations.push({ kind: "put", key, value, lease: found.lease });
  }
  let { revision } = now;
  for (let at = 0; at < operations.length; at += TRANSACTION_OPERATIONS) {
    const then = operations.slice(at, at + TRANSACTION_OPERATIONS);
    ({ revision } = await store.txn({ compare: [], then }));
  }
  return { revision, changed: operations.length };
}
