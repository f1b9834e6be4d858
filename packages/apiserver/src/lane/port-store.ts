// The store of another thread, as a store of this one. Its bytes are copied on their way: either side may keep what it has.
import type { EndSignal } from "@orch/platform";
import {
  type CallOptions,
  type KeyValue,
  type OperationResult,
  type RangeRequest,
  type RangeResult,
  type Store,
  StoreError,
  type TxnRequest,
  type TxnResult,
} from "@orch/store";
import { ClientGoneError } from "../http/request-body";
import type { PortPeer } from "./port-peer";

/** What the side that has the store offers. The bound of a call goes along, its signal is the call's own. */
export interface OfferedStore {
  readonly range: (
    asked: { readonly request: RangeRequest; readonly timeoutMs: number | undefined },
    signal: EndSignal,
  ) => Promise<RangeResult>;
  readonly txn: (
    asked: { readonly request: TxnRequest; readonly timeoutMs: number | undefined },
    signal: EndSignal,
  ) => Promise<TxnResult>;
  readonly grantLease: (ttlSeconds: number) => Promise<number>;
}

export function offeredStore(store: Store): OfferedStore {
  return {
    range: async ({ request, timeoutMs }, signal) => plain(await store.range(request, optionsOf(timeoutMs, signal))),
    async txn({ request, timeoutMs }, signal) {
      const result = await store.txn(asSent(request), optionsOf(timeoutMs, signal));
      return {
        ...result,
        results: result.results.map((each) => (each.kind === "range" ? { ...each, ...plain(each) } : each)),
      };
    },
    grantLease: (ttlSeconds) => store.grantLease(ttlSeconds),
  };
}

/** What a store in this process hands out may say its value by a getter, which does not go along. */
const plain = (result: RangeResult): RangeResult => ({
  ...result,
  items: result.items.map(({ key, value, createRevision, modRevision, version, lease, mark }) => ({
    ...{ key, value, createRevision, modRevision, version, lease },
    ...(mark && { mark }),
  })),
});

const optionsOf = (timeoutMs: number | undefined, signal: EndSignal): CallOptions => ({
  signal,
  ...(timeoutMs === undefined ? {} : { timeoutMs }),
});

/** As much of a store as one that reads and writes needs; the rest is not asked for. */
export function portStore(there: PortPeer<OfferedStore>): Store {
  return {
    endpoints: [],
    async range(request, { signal, timeoutMs } = {}) {
      return withBuffers(await there.call("range", { request, timeoutMs }, { signal }).catch(cancelled));
    },
    async txn(request, { signal, timeoutMs } = {}) {
      const result = await there.call("txn", { request, timeoutMs }, { signal }).catch(cancelled);
      return { ...result, results: result.results.map(resultWithBuffers) };
    },
    grantLease: (ttlSeconds) => there.call("grantLease", ttlSeconds),
    watch: unneeded,
    compact: unneeded,
    keepLeaseAlive: unneeded,
    revokeLease: unneeded,
    status: unneeded,
    async close() {},
  };
}

function cancelled(error: unknown): never {
  throw error instanceof ClientGoneError ? new StoreError("cancelled", error.message) : error;
}

function unneeded(): never {
  throw new Error("only reading and writing is offered");
}

/** A Buffer over the bytes that came, without copying them. */
export const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

const withBuffers = (result: RangeResult): RangeResult => ({
  ...result,
  items: result.items.map((item): KeyValue => ({ ...item, value: bufferOf(item.value) })),
});

const resultWithBuffers = (result: OperationResult): OperationResult =>
  result.kind === "range" ? { ...result, ...withBuffers(result) } : result;

/** A sent buffer comes as a plain array of bytes. */
function asSent(request: TxnRequest): TxnRequest {
  const whole = (operation: TxnRequest["then"][number]) =>
    operation.kind === "put" ? { ...operation, value: bufferOf(operation.value) } : operation;
  return { ...request, then: request.then.map(whole), ...(request.else && { else: request.else.map(whole) }) };
}
