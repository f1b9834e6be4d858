// Limits of a request: the defaults of etcd, applied by all drivers, so that a request that one store accepts is
// accepted by all.

import { type Operation, StoreError, type TxnRequest } from "./contract";

/** Maximum bytes of one request, keys and framing included. etcd: `--max-request-bytes`, 1.5 MiB. */
export const REQUEST_MAX_BYTES = 1.5 * 1024 * 1024;
/** Maximum operations of one transaction, counted per branch. etcd: `--max-txn-ops`. */
const TXN_MAX_OPERATIONS = 128;

/** @throws StoreError tooLarge */
export function checkLimits({ compare, then, else: otherwise = [] }: TxnRequest): void {
  if (Math.max(compare.length, then.length, otherwise.length) > TXN_MAX_OPERATIONS) {
    throw new StoreError("tooLarge", `a transaction has at most ${TXN_MAX_OPERATIONS} operations`);
  }
  const bytes = compare.reduce((sum, { key }) => sum + key.length, 0) + payload(then) + payload(otherwise);
  if (bytes > REQUEST_MAX_BYTES) {
    throw new StoreError("tooLarge", `a request of ${bytes} bytes; at most ${REQUEST_MAX_BYTES} are accepted`);
  }
}

function payload(operations: readonly Operation[]): number {
  let bytes = 0;
  for (const operation of operations) {
    if (operation.kind === "put") bytes += operation.key.length + operation.value.length;
    else bytes += operation.start.length + (operation.end?.length ?? 0);
  }
  return bytes;
}
