// A store of another thread, reached over a message port. Bytes are copied on the way, so that either side may keep its
// own.
import { bufferOf, ClientGoneError, type EndSignal, type PortPeer } from "@orch/platform";
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

/**
 * Calls that the side with the stores offers. The timeout of a call is passed along; its signal is the signal of the
 * call.
 */
export interface OfferedStores {
  readonly range: (asked: Asked<RangeRequest>, signal: EndSignal) => Promise<RangeResult>;
  readonly txn: (asked: Asked<TxnRequest>, signal: EndSignal) => Promise<TxnResult>;
  readonly grantLease: (asked: { readonly store: number; readonly ttlSeconds: number }) => Promise<number>;
}

interface Asked<Request> {
  /** Index in the list of offered stores. */
  readonly store: number;
  readonly request: Request;
  readonly timeoutMs: number | undefined;
}

export function offeredStores(stores: readonly Store[]): OfferedStores {
  const at = (position: number): Store => {
    const store = stores[position];
    if (store === undefined) throw new Error(`the main thread offers no store at position ${position}`);
    return store;
  };
  return {
    range: async ({ store, request, timeoutMs }, signal) =>
      plain(await at(store).range(request, optionsOf(timeoutMs, signal))),
    async txn({ store, request, timeoutMs }, signal) {
      const result = await at(store).txn(asSent(request), optionsOf(timeoutMs, signal));
      return {
        ...result,
        results: result.results.map((each) => (each.kind === "range" ? { ...each, ...plain(each) } : each)),
      };
    },
    grantLease: ({ store, ttlSeconds }) => at(store).grantLease(ttlSeconds),
  };
}

/** Copies an item into plain data: a store in this process may implement `value` as a getter, which cannot be sent. */
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

/**
 * Returns a store with the operations that a registry without a cache needs.
 * @param store index in the list of offered stores
 */
export function portStore(there: PortPeer<OfferedStores>, store: number): Store {
  return {
    endpoints: [],
    async range(request, { signal, timeoutMs } = {}) {
      return withBuffers(await there.call("range", { store, request, timeoutMs }, { signal }).catch(cancelled));
    },
    async txn(request, { signal, timeoutMs } = {}) {
      const result = await there.call("txn", { store, request, timeoutMs }, { signal }).catch(cancelled);
      return { ...result, results: result.results.map(resultWithBuffers) };
    },
    grantLease: (ttlSeconds) => there.call("grantLease", { store, ttlSeconds }),
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
  throw new Error("a worker thread may only read and write");
}

const withBuffers = (result: RangeResult): RangeResult => ({
  ...result,
  items: result.items.map((item): KeyValue => ({ ...item, value: bufferOf(item.value) })),
});

const resultWithBuffers = (result: OperationResult): OperationResult =>
  result.kind === "range" ? { ...result, ...withBuffers(result) } : result;

/** Restores Buffers in a request: a Buffer arrives as a plain array of bytes. */
function asSent(request: TxnRequest): TxnRequest {
  const whole = (operation: TxnRequest["then"][number]) =>
    operation.kind === "put" ? { ...operation, value: bufferOf(operation.value) } : operation;
  return { ...request, then: request.then.map(whole), ...(request.else && { else: request.else.map(whole) }) };
}
