// One transaction of the store that writes only if the object is unchanged since it was read. Otherwise it returns the
// present object, so the next attempt needs no read. Source: docs/architecture.md, "Write path".

import {
  type AdmissionRequest,
  type AllocationKey,
  type GroupResource,
  isReason,
  type Precondition,
  type ServerOperation,
  serverTimeout,
} from "@orch/machinery";
import { type EndSignal, spanning, type TraceSpan } from "@orch/platform";
import {
  type Compare,
  type KeyValue,
  type Operation,
  type Store,
  StoreError,
  type TxnRequest,
  type TxnResult,
} from "@orch/store";
import type { ResourceContext } from "../context/resource-context";
import { writeFailure } from "../contract/store-failures";
import type { RecordedRevision } from "../object-history/record-revision";
import { keySpaceOf, objectPath, resourcePath } from "../objects/key-layout";
import { withoutOwners } from "../objects/resource-form";
import { StoredEntry } from "../objects/stored-entry";
import { storedItem } from "../objects/stored-item";
import { type AllocationChange, allocationValue } from "./allocations";

/** The preconditions of a write and the quotas in which it reserves, as set by admission. */
export type WriteTerms = Pick<AdmissionRequest, "preconditions" | "reservations">;

export const NO_TERMS: WriteTerms = { preconditions: [], reservations: [] };

export type GuardedResult =
  | { readonly written: true; readonly revision: number }
  /** `current` undefined: the object does not exist. For an unreadable object, UnreadableObject is thrown. */
  | { readonly written: false; readonly current: StoredEntry | undefined };

export interface Guard {
  readonly operation: ServerOperation;
  /** `[<namespace>/]<name>` */
  readonly path: string;
  /** The revision that was read; 0: the object must not exist. */
  readonly revision: number;
  /** Preconditions apply only to objects that must not exist. Absent: none. */
  readonly terms?: WriteTerms;
  /** The allocations that this write takes and releases. Absent: none. */
  readonly allocations?: AllocationChange;
  /** Reject an object that is too large for the store instead of storing it without its managedFields. */
  readonly ownersMatter?: boolean;
  /** Written in the same transaction. Absent: no history of the object is kept. */
  readonly recorded?: RecordedRevision | undefined;
  readonly signal: EndSignal | undefined;
  /** Span of the request, and later that of the write. Absent: the write is not traced. */
  readonly span?: TraceSpan | undefined;
}

/** Timeout after which the outcome counts as unknown. */
const WRITE_TIMEOUT_MS = 10_000;

type PutResult =
  | { readonly written: true; readonly entry: StoredEntry }
  | (GuardedResult & { readonly written: false });

/** Writes an object. @param stored see resource-form.ts */
export async function putGuarded(context: ResourceContext, guard: Guard, stored: Buffer): Promise<PutResult> {
  try {
    return putResult(context, guard, stored, await run(context, guard, putOf(context, guard, stored)));
  } catch (error) {
    const tooLarge = isReason(error, "RequestEntityTooLarge");
    // An object that fits without its former state is written: the object is worth more than its history.
    if (tooLarge && guard.recorded !== undefined) return putGuarded(context, withoutState(guard), stored);
    // The same holds for an object that fits without its managedFields.
    const lighter = tooLarge && guard.ownersMatter !== true ? withoutOwners(context.form, stored) : undefined;
    if (lighter === undefined) throw error;
    return putResult(context, guard, lighter, await run(context, guard, putOf(context, guard, lighter)));
  }
}

function putOf({ codec, keys }: ResourceContext, { path }: Guard, stored: Buffer): Operation {
  return { kind: "put", key: keys.start + path, value: codec.encode(stored) };
}

function putResult(context: ResourceContext, { path }: Guard, stored: Buffer, result: GuardedResult): PutResult {
  if (!result.written) return result;
  // The cache may have received the write before its answer came.
  const known = context.cache.peek(path);
  if (known?.resourceVersion === result.revision) return { written: true, entry: known };
  const entry = new StoredEntry(context.form, path, result.revision, stored);
  context.cache.expect(entry);
  return { written: true, entry };
}

export async function deleteGuarded(context: ResourceContext, guard: Guard): Promise<GuardedResult> {
  const operation = { kind: "delete", start: context.keys.start + guard.path } as const;
  if (guard.recorded === undefined) return run(context, guard, operation);
  try {
    return await run(context, guard, operation);
  } catch (error) {
    if (isReason(error, "RequestEntityTooLarge")) return run(context, withoutState(guard), operation);
    // A full store accepts deletions alone, and these must make room.
    if (!(error instanceof Error && error.cause instanceof StoreError && error.cause.code === "full")) throw error;
    return run(context, { ...guard, recorded: undefined }, operation);
  }
}

/** Returns a guard that records who wrote, without the former state, and nothing when that is too large as well. */
function withoutState(guard: Guard): Guard {
  const { recorded } = guard;
  if (recorded === undefined || recorded.put === recorded.withoutState) return { ...guard, recorded: undefined };
  const put = recorded.withoutState;
  return { ...guard, recorded: { put, withoutState: put } };
}

/**
 * Maximum number of attempts. A precondition that fails is read again; each failure means that another write succeeded.
 */
const PRECONDITIONS_MAX_TRIES = 8;

function run(context: ResourceContext, guard: Guard, operation: Operation): Promise<GuardedResult> {
  const { span } = guard;
  return span?.isRecorded === true ? traced(context, guard, operation, span) : settle(context, guard, operation);
}

/** Names of spans. Source: staging/src/k8s.io/apiserver/pkg/storage/etcd3/store.go. */
const SPAN_NAMES: Partial<Record<ServerOperation, string>> = { create: "Create etcd3", delete: "Delete etcd3" };

async function traced(
  context: ResourceContext,
  guard: Guard,
  operation: Operation,
  parent: TraceSpan,
): Promise<GuardedResult> {
  const { group, resource } = context.resource;
  const key = context.keys.start + guard.path;
  const span = parent.child(SPAN_NAMES[guard.operation] ?? "GuaranteedUpdate etcd3", {
    ...{ key, type: context.kind.kind, group, resource },
  });
  return spanning(span, () => settle(context, { ...guard, span }, operation));
}

async function settle(context: ResourceContext, guard: Guard, operation: Operation): Promise<GuardedResult> {
  let preconditions: readonly Precondition[] = guard.terms?.preconditions ?? NO_TERMS.preconditions;
  for (let tries = 0; tries < PRECONDITIONS_MAX_TRIES; tries += 1) {
    let result: TxnResult | undefined;
    let preconditionsHold = true;
    try {
      if (context.storeOf !== undefined)
        preconditionsHold = await holdElsewhere(context, context.storeOf, preconditions);
      if (preconditionsHold) result = await transact(context, guard, preconditions, operation);
    } catch (error) {
      throw writeFailure(context.resource, guard.operation, error);
    }
    if (result === undefined) {
      preconditions = await Promise.all(preconditions.map((precondition) => precondition.retry()));
      continue;
    }
    if (result.succeeded) return { written: true, revision: result.revision };
    const item = rangeOf(result);
    const allocationLost = noteLost(context, guard, result);
    if (!allocationLost && item === undefined && guard.revision === 0 && preconditions.length > 0) {
      preconditions = await Promise.all(preconditions.map((precondition) => precondition.retry()));
      continue;
    }
    const current = item && context.cache.toEntry(storedItem(guard.path, item));
    return { written: false, current };
  }
  throw serverTimeout(context.resource, guard.operation);
}

/** @throws what the store throws, synchronously or later */
function transact(
  context: ResourceContext,
  guard: Guard,
  preconditions: readonly Precondition[],
  write: Operation,
): Promise<TxnResult> {
  const { leases, definition } = context;
  const { lifetimeSeconds } = definition;
  if (lifetimeSeconds === undefined || write.kind !== "put") return send(context, guard, preconditions, write);
  return leases.hold(lifetimeSeconds, (lease) => send(context, guard, preconditions, { lease, ...write }));
}

/**
 * Checks the preconditions on objects that another store holds: no transaction spans two stores, so these can fall
 * between the check and the write. Preconditions of this store are part of the write's transaction.
 */
async function holdElsewhere(
  context: ResourceContext,
  storeOf: (resource: GroupResource) => Store,
  preconditions: readonly Precondition[],
): Promise<boolean> {
  const stores = new Set(preconditions.map(({ resource }) => storeOf(resource)));
  stores.delete(context.store);
  for (const store of stores) {
    const compare = preconditions
      .filter(({ resource }) => storeOf(resource) === store)
      .map((precondition) => compareOf(context, precondition));
    const { succeeded } = await store.txn({ compare, then: [] }, { timeoutMs: WRITE_TIMEOUT_MS });
    if (!succeeded) return false;
  }
  return true;
}

function send(
  context: ResourceContext,
  guard: Guard,
  preconditions: readonly Precondition[],
  operation: Operation,
): Promise<TxnResult> {
  const { storeOf } = context;
  const own =
    storeOf === undefined ? preconditions : preconditions.filter(({ resource }) => storeOf(resource) === context.store);
  const request = requestOf(context, guard, own, operation);
  const { signal, span } = guard;
  // The store continues a recorded trace.
  const headers = span?.isRecorded === true ? span.headers() : undefined;
  const options = { timeoutMs: WRITE_TIMEOUT_MS, signal, headers };
  const [first, ...others] = guard.terms?.reservations ?? NO_TERMS.reservations;
  if (first === undefined) return context.store.txn(request, options);
  if (storeOf === undefined || storeOf(first.resource) === context.store)
    return context.quotaLedgers.txn(request, [first, ...others], options);
  // Quotas in another store are charged first. Where the write then fails they show too much until they are
  // counted anew.
  return context.quotaLedgers
    .txn({ compare: [], then: [] }, [first, ...others], options)
    .then(() => context.store.txn(request, options));
}

function requestOf(
  context: ResourceContext,
  { path, revision, allocations, recorded }: Guard,
  preconditions: readonly Precondition[],
  write: Operation,
): TxnRequest {
  const { prefix } = context;
  const key = context.keys.start + path;
  const own: Compare = { key, target: revision === 0 ? "createRevision" : "modRevision", is: "=", revision };
  const compare =
    preconditions.length === 0
      ? [own]
      : [own, ...preconditions.map((precondition) => compareOf(context, precondition))];
  const then: Operation[] = [write];
  const otherwise: Operation[] = [{ kind: "range", start: key }];
  for (const allocation of allocations?.take ?? []) {
    const allocationKey = `${prefix}/${allocation}`;
    compare.push({ key: allocationKey, target: "createRevision", is: "=", revision: 0 });
    then.push({ kind: "put", key: allocationKey, value: allocationValue(key) });
    otherwise.push({ kind: "range", start: allocationKey });
  }
  for (const { key: companion, revision: replaced, value } of allocations?.companions ?? []) {
    const companionKey = `${prefix}/${companion}`;
    const target = replaced === 0 ? "createRevision" : "modRevision";
    compare.push({ key: companionKey, target, is: "=", revision: replaced });
    then.push({ kind: "put", key: companionKey, value });
    otherwise.push({ kind: "range", start: companionKey });
  }
  for (const { key: kept, revision: seen } of allocations?.unchanged ?? [])
    compare.push({ key: `${prefix}/${kept}`, target: "modRevision", is: "=", revision: seen });
  for (const released of allocations?.release ?? []) then.push({ kind: "delete", start: `${prefix}/${released}` });
  if (recorded !== undefined) then.push(recorded.put);
  return { compare, then, else: otherwise };
}

function compareOf({ prefix }: ResourceContext, { resource, namespace, name, revision }: Precondition): Compare {
  const { start } = keySpaceOf(prefix, resourcePath(resource.group, resource.resource));
  return { key: start + objectPath(namespace, name), target: "modRevision", is: "=", revision };
}

/**
 * Remembers the allocations that others hold, and the companions that are gone, so that the next attempt, or the
 * rejection, knows of them before the cache does.
 * @returns whether an allocation or a companion to replace was lost
 */
function noteLost({ seenAllocations }: ResourceContext, { allocations }: Guard, result: TxnResult): boolean {
  const { take = [], companions = [] } = allocations ?? {};
  let isLost = false;
  const found = (position: number): KeyValue | undefined => {
    const range = result.results[position + 1];
    return range?.kind === "range" ? range.items[0] : undefined;
  };
  const note = (allocation: AllocationKey, item: KeyValue | undefined, expected: number): void => {
    if (item === undefined || item.modRevision === expected) return;
    seenAllocations.note(allocation, item.modRevision);
    isLost = true;
  };
  for (const [position, allocation] of take.entries()) note(allocation, found(position), 0);
  for (const [position, { allocation, key, revision }] of companions.entries()) {
    const item = found(take.length + position);
    note(allocation, item, revision);
    if (item !== undefined || revision === 0) continue;
    seenAllocations.noteGone(key, result.revision);
    isLost = true;
  }
  return isLost;
}

function rangeOf({ results }: TxnResult): KeyValue | undefined {
  const [first] = results;
  return first?.kind === "range" ? first.items[0] : undefined;
}
