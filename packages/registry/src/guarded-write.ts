// One transaction of the store that writes only if the object is still as it was read, and otherwise brings what it is now: a next try
// needs no read of its own.

import type { ServerOperation } from "@orch/machinery";
import type { KeyValue, Operation, TxnResult } from "@orch/store";
import type { ResourceContext } from "./resource-context";
import { writeFailure } from "./store-failures";
import { StoredEntry } from "./stored-entry";

export type GuardedResult =
  | { readonly written: true; readonly revision: number }
  /** `current` undefined: the object does not exist. */
  | { readonly written: false; readonly current: StoredEntry | undefined };

export interface Guard {
  readonly operation: ServerOperation;
  /** `[<namespace>/]<name>` */
  readonly path: string;
  /** The revision that was read; 0: the object must not exist. */
  readonly revision: number;
  readonly signal: AbortSignal | undefined;
}

/** Past this the outcome counts as unknown. */
const WRITE_TIMEOUT_MS = 10_000;

/** @param stored see resource-form.ts */
export async function putGuarded(
  context: ResourceContext,
  guard: Guard,
  stored: Buffer,
): Promise<{ readonly written: true; readonly entry: StoredEntry } | (GuardedResult & { readonly written: false })> {
  const value = context.codec.encode(stored);
  const result = await run(context, guard, { kind: "put", key: context.keys.start + guard.path, value });
  if (!result.written) return result;
  // The cache may have heard of the write before its answer came.
  const known = context.cache.peek(guard.path);
  if (known?.resourceVersion === result.revision) return { written: true, entry: known };
  const entry = new StoredEntry(context.form, guard.path, result.revision, stored);
  context.cache.expect(entry);
  return { written: true, entry };
}

export function deleteGuarded(context: ResourceContext, guard: Guard): Promise<GuardedResult> {
  return run(context, guard, { kind: "delete", start: context.keys.start + guard.path });
}

async function run(context: ResourceContext, guard: Guard, operation: Operation): Promise<GuardedResult> {
  const key = context.keys.start + guard.path;
  const target = guard.revision === 0 ? "createRevision" : "modRevision";
  let result: TxnResult;
  try {
    result = await context.store.txn(
      {
        compare: [{ key, target, is: "=", revision: guard.revision }],
        then: [operation],
        else: [{ kind: "range", start: key }],
      },
      { timeoutMs: WRITE_TIMEOUT_MS, ...(guard.signal === undefined ? {} : { signal: guard.signal }) },
    );
  } catch (error) {
    throw writeFailure(context.resource, guard.operation, error);
  }
  if (result.succeeded) return { written: true, revision: result.revision };
  const item = rangeOf(result);
  return {
    written: false,
    current: item && context.cache.toEntry({ path: guard.path, modRevision: item.modRevision, value: item.value }),
  };
}

function rangeOf({ results }: TxnResult): KeyValue | undefined {
  const [first] = results;
  return first?.kind === "range" ? first.items[0] : undefined;
}
