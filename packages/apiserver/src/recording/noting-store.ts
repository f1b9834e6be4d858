// A store that notes which request each of its writes belongs to.
import type { CallOptions, Store, TxnRequest, TxnResult } from "@orch/store";

/**
 * Returns the store with another `txn`.
 * @param wrote called after each write, with its revision; the write is answered after it
 */
export function notingStore(store: Store, wrote: (revision: number) => Promise<void>): Store {
  async function txn(request: TxnRequest, options?: CallOptions): Promise<TxnResult> {
    const result = await store.txn(request, options);
    const operations = result.succeeded ? request.then : (request.else ?? []);
    if (operations.some(({ kind }) => kind !== "range")) await wrote(result.revision);
    return result;
  }
  return new Proxy(store, {
    get(target, name) {
      if (name === "txn") return txn;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
