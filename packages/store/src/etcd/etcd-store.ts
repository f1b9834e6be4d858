// The store on an etcd cluster, 3.4 or newer. Requests share one connection. Watches have another one, because etcd
// does not schedule both fairly on one. Source: docs/architecture.md, "etcd".

import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type CallOptions,
  type LeaseId,
  type RangeRequest,
  type RangeResult,
  type Revision,
  type Store,
  type StoreEndpoint,
  StoreError,
  type StoreStatus,
  type StoreWatch,
  type TxnRequest,
  type TxnResult,
  type WatchHandlers,
  type WatchRequest,
} from "../contract/contract";
import * as etcd from "../generated/etcd";
import { type AnswerHeader, Continuity } from "./continuity";
import { EndpointPool } from "./endpoint-pool";
import { blamesEndpoint, isTransient, toStoreError } from "./errors";
import { EtcdWatch } from "./etcd-watch";
import { rangeRequest, rangeResult, txnRequest, txnResult } from "./messages";
import { snapshotOver } from "./snapshot";
import { type Connect, type Connection, type Endpoint, GRPC_STATUS, GrpcError } from "./transport";
import { decode, encode } from "./wire";

const METHOD = {
  range: "/etcdserverpb.KV/Range",
  txn: "/etcdserverpb.KV/Txn",
  compact: "/etcdserverpb.KV/Compact",
  leaseGrant: "/etcdserverpb.Lease/LeaseGrant",
  leaseRevoke: "/etcdserverpb.Lease/LeaseRevoke",
  leaseKeepAlive: "/etcdserverpb.Lease/LeaseKeepAlive",
  status: "/etcdserverpb.Maintenance/Status",
  watch: "/etcdserverpb.Watch/Watch",
} as const;

const CALL_TIMEOUT_MS = 10_000;
const STATUS_TIMEOUT_MS = 2000;
/** How long a call waits for a reachable endpoint before it fails as unavailable. */
const CONNECT_WITHIN_MS = 3000;
const READ_ATTEMPTS = 4;
const READ_PAUSE_MS = 25;
const PROBE_TIMEOUT_MS = 2000;

/** Called for every request that was sent, when it has finished. */
export type CallObserver = (operation: keyof typeof METHOD, seconds: number, error?: GrpcError) => void;

export class EtcdStore implements Store {
  readonly endpoints: readonly StoreEndpoint[];
  private readonly calls: EndpointPool;
  private readonly streams: EndpointPool;
  private readonly observe: CallObserver | undefined;
  private readonly watches = new Set<EtcdWatch>();
  private readonly continuity = new Continuity();
  private readonly connectAlone: () => Promise<Connection>;
  private closed = false;

  constructor(endpoints: readonly Endpoint[], connect: Connect, observe?: CallObserver) {
    this.endpoints = endpoints.map((endpoint) => ({
      url: endpoint.url,
      status: (options) => this.statusAt(endpoint, connect, options),
    }));
    const first = randomInt(endpoints.length);
    const checked = this.continuity.checked(connect);
    const onRestored = () => this.beginAnew();
    this.streams = new EndpointPool(endpoints, checked, { first, onRestored });
    // A quiet watch expects no messages. Calls notice a frozen endpoint sooner, and report it.
    const onSilent = (silent: string) => this.streams.probe(silent);
    this.calls = new EndpointPool(endpoints, checked, { first, onSilent, onRestored });
    this.observe = observe;
    this.connectAlone = () =>
      new EndpointPool(endpoints, checked, { first: randomInt(endpoints.length), onRestored }).acquire(
        CONNECT_WITHIN_MS,
      );
  }

  async range(request: RangeRequest, options: CallOptions = {}): Promise<RangeResult> {
    const message = encode(etcd.RangeRequest, rangeRequest(request));
    const seen = this.continuity.highest;
    try {
      const bytes = await this.read("range", message, options);
      const answer = this.decoded(etcd.RangeResponse, bytes, { writes: false });
      this.checkHistory(answer.header, seen);
      return rangeResult(answer, 0);
    } catch (error) {
      if (error instanceof StoreError && error.code === "compacted") throw await this.withCompactRevision(error);
      throw error;
    }
  }

  async txn(request: TxnRequest, options: CallOptions = {}): Promise<TxnResult> {
    const message = encode(etcd.TxnRequest, txnRequest(request), valueBytes(request));
    const seen = this.continuity.highest;
    const bytes = await this.write("txn", message, options);
    const answer = this.decoded(etcd.TxnResponse, bytes, { writes: true });
    // The transaction has been executed, on whichever history.
    if (!this.continuity.saw(answer.header ?? {}, seen)) this.beginAnew();
    return txnResult(answer);
  }

  watch(request: WatchRequest, handlers: WatchHandlers): StoreWatch {
    const watch = new EtcdWatch(this.streams, request, handlers, {
      happened: (event) => this.continuity.happened(event),
      onEnd: (ended) => this.watches.delete(ended),
    });
    if (this.closed) watch.end(closedError());
    else this.watches.add(watch);
    return watch;
  }

  async compact(revision: Revision, options: CallOptions = {}): Promise<void> {
    try {
      await this.write("compact", encode(etcd.CompactionRequest, { revision }), options);
    } catch (error) {
      if (error instanceof StoreError && error.code === "compacted") throw await this.withCompactRevision(error);
      throw error;
    }
  }

  async grantLease(ttlSeconds: number, options: CallOptions = {}): Promise<LeaseId> {
    // An id chosen by etcd would have 63 bits; this one fits a JavaScript number.
    const id = randomInt(1, 2 ** 48 - 1);
    await this.write("leaseGrant", encode(etcd.LeaseGrantRequest, { ttl: ttlSeconds, id }), options);
    return id;
  }

  async keepLeaseAlive(lease: LeaseId, options: CallOptions = {}): Promise<number> {
    const answer = await this.ask("leaseKeepAlive", encode(etcd.LeaseKeepAliveRequest, { id: lease }), options);
    return this.decoded(etcd.LeaseKeepAliveResponse, answer, { writes: false }).ttl ?? 0;
  }

  async revokeLease(lease: LeaseId, options: CallOptions = {}): Promise<void> {
    await this.write("leaseRevoke", encode(etcd.LeaseRevokeRequest, { id: lease }), options);
  }

  async status(options: CallOptions = {}): Promise<StoreStatus> {
    const bounded = { timeoutMs: STATUS_TIMEOUT_MS, ...options };
    const bytes = await this.read("status", encode(etcd.StatusRequest, {}), bounded);
    return this.statusIn(bytes);
  }

  /** Reads the status over a separate connection, which shows whether the endpoint accepts one. */
  private async statusAt(
    endpoint: Endpoint,
    connect: Connect,
    { timeoutMs = STATUS_TIMEOUT_MS, signal }: CallOptions = {},
  ): Promise<StoreStatus> {
    const connection = await connect(endpoint, timeoutMs).catch((error: Error) => {
      throw new StoreError("unavailable", `${endpoint.url}: ${error.message}`, { cause: error });
    });
    try {
      const bounds = { timeoutMs, signal, repeatable: false };
      return this.statusIn(await connection.call(METHOD.status, encode(etcd.StatusRequest, {}), bounds));
    } catch (error) {
      throw this.problem(error, { writes: false });
    } finally {
      connection.destroy();
    }
  }

  /** Reads a snapshot from one member, over a connection of its own: a slow reader must not delay other calls. */
  async *snapshot({ signal }: CallOptions = {}): AsyncIterable<Buffer> {
    if (this.closed) throw closedError();
    const connection = await this.connectAlone();
    try {
      yield* snapshotOver(connection, signal);
    } catch (error) {
      throw this.problem(error, { writes: false });
    } finally {
      connection.destroy();
    }
  }

  private statusIn(bytes: Buffer): StoreStatus {
    const answer = this.decoded(etcd.StatusResponse, bytes, { writes: false });
    return {
      revision: answer.header?.revision ?? 0,
      size: answer.dbSize ?? 0,
      alarms: [...new Set((answer.errors ?? []).map(alarmName))],
    };
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    for (const watch of [...this.watches]) watch.end(closedError());
    this.calls.close();
    this.streams.close();
  }

  /** Starts over after a restore: everything that relies on the former history is ended with an error. */
  private beginAnew(): void {
    this.continuity.restart();
    for (const watch of [...this.watches]) watch.end(restoredError());
    this.calls.reset();
    this.streams.reset();
  }

  /** @throws StoreError restored */
  private checkHistory(header: AnswerHeader = {}, seen: Revision): void {
    if (this.continuity.saw(header, seen)) return;
    this.beginAnew();
    throw restoredError();
  }

  /** Repeats the request, at another endpoint if necessary, until it is answered, rejected or out of time. */
  private async read(operation: "range" | "status", message: Buffer, options: CallOptions): Promise<Buffer> {
    const until = performance.now() + (options.timeoutMs ?? CALL_TIMEOUT_MS);
    const { epoch } = this.continuity;
    for (let attempt = 1; ; attempt++) {
      try {
        const bounds = { ...options, timeoutMs: Math.ceil(until - performance.now()) };
        return await this.attempt(operation, message, bounds, { repeatable: true, epoch });
      } catch (error) {
        const again = error instanceof GrpcError && isTransient(error) && attempt < READ_ATTEMPTS && !this.closed;
        if (!again || performance.now() >= until) throw this.problem(error, { writes: false });
      }
      await sleep(READ_PAUSE_MS * (attempt - 1));
    }
  }

  /**
   * Sends once. Only a request that certainly never reached a server is sent again, over another connection: a member
   * that stops closes its connections while the other members serve.
   */
  private async write(operation: keyof typeof METHOD, message: Buffer, options: CallOptions): Promise<Buffer> {
    const until = performance.now() + (options.timeoutMs ?? CALL_TIMEOUT_MS);
    const how = { repeatable: false, epoch: this.continuity.epoch };
    try {
      return await this.attempt(operation, message, options, how);
    } catch (error) {
      const isUnseen = error instanceof GrpcError && !error.sent && error.status !== GRPC_STATUS.cancelled;
      if (!isUnseen || this.closed || performance.now() >= until) throw this.problem(error, { writes: true });
    }
    try {
      return await this.attempt(
        operation,
        message,
        { ...options, timeoutMs: Math.ceil(until - performance.now()) },
        how,
      );
    } catch (error) {
      throw this.problem(error, { writes: true });
    }
  }

  /** @throws errors, synchronously or later */
  private attempt(
    operation: keyof typeof METHOD,
    message: Buffer,
    options: CallOptions,
    how: { readonly repeatable: boolean; readonly epoch: number },
  ): Promise<Buffer> {
    const { current } = this.calls;
    if (current !== undefined) return this.callOver(current, operation, message, options, how);
    return this.connected(options.timeoutMs ?? CALL_TIMEOUT_MS).then((made) =>
      this.callOver(made, operation, message, options, how),
    );
  }

  private callOver(
    connection: Connection,
    operation: keyof typeof METHOD,
    message: Buffer,
    { timeoutMs = CALL_TIMEOUT_MS, signal, headers }: CallOptions,
    { repeatable, epoch }: { readonly repeatable: boolean; readonly epoch: number },
  ): Promise<Buffer> {
    // The request relies on the history known when the call began.
    if (epoch !== this.continuity.epoch) throw restoredError();
    if (signal?.aborted === true)
      throw new GrpcError(GRPC_STATUS.cancelled, "canceled by the caller before the call", false);
    const begun = performance.now();
    const bounds = { timeoutMs: Math.max(1, Math.ceil(timeoutMs)), signal, repeatable, headers };
    return connection.call(METHOD[operation], message, bounds).then(
      (answer) => {
        this.observe?.(operation, (performance.now() - begun) / 1000);
        return answer;
      },
      (error: GrpcError) => {
        this.observe?.(operation, (performance.now() - begun) / 1000, error);
        if (blamesEndpoint(error)) this.calls.distrust(connection);
        throw error;
      },
    );
  }

  private async connected(timeoutMs: number): Promise<Connection> {
    if (this.closed) throw closedError();
    return this.calls.acquire(Math.min(timeoutMs, CONNECT_WITHIN_MS));
  }

  /** Sends one message and receives one over a streaming method. */
  private async ask(operation: "leaseKeepAlive", message: Buffer, options: CallOptions): Promise<Buffer> {
    const { timeoutMs = CALL_TIMEOUT_MS } = options;
    try {
      const connection = this.calls.current ?? (await this.connected(timeoutMs));
      return await firstAnswer(connection, METHOD[operation], message, timeoutMs);
    } catch (error) {
      throw this.problem(error, { writes: false });
    }
  }

  /** Adds the compacted revision to the error. etcd reports it only to watches. */
  private async withCompactRevision(error: StoreError): Promise<StoreError> {
    const message = encode(etcd.WatchRequest, { createRequest: { key: "\0", startRevision: 1 } });
    try {
      const connection = this.calls.current ?? (await this.connected(PROBE_TIMEOUT_MS));
      const refused = await firstAnswer(connection, METHOD.watch, message, PROBE_TIMEOUT_MS, (answer) =>
        Boolean(decode(etcd.WatchResponse, answer).compactRevision),
      );
      const { compactRevision } = decode(etcd.WatchResponse, refused);
      return new StoreError("compacted", error.message, { cause: error, ...(compactRevision && { compactRevision }) });
    } catch {
      return error;
    }
  }

  private decoded<T>(codec: etcd.Codec<T>, answer: Buffer, how: { readonly writes: boolean }): T {
    try {
      return decode(codec, answer);
    } catch (error) {
      throw this.problem(error, how);
    }
  }

  private problem(error: unknown, how: { readonly writes: boolean }): StoreError {
    const problem = toStoreError(error, how);
    // A write in progress when the store was closed keeps its unknown outcome.
    return this.closed && problem.code === "unavailable" ? closedError() : problem;
  }
}

/** @throws GrpcError */
function firstAnswer(
  connection: Connection,
  method: string,
  message: Buffer,
  timeoutMs: number,
  wanted: (answer: Buffer) => boolean = () => true,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stream = connection.stream(method, {
      message: (bytes) => {
        try {
          if (!wanted(bytes)) return;
          resolve(bytes);
        } catch (error) {
          reject(error);
        }
        clearTimeout(timer);
        stream.close();
      },
      end: (error) => {
        clearTimeout(timer);
        reject(error);
      },
    });
    const timer = setTimeout(() => {
      stream.close();
      reject(new GrpcError(GRPC_STATUS.deadlineExceeded, `no answer within ${timeoutMs} ms`, true));
    }, timeoutMs);
    stream.send(message);
  });
}

function valueBytes({ then }: TxnRequest): number {
  return then.reduce((sum, operation) => (operation.kind === "put" ? sum + operation.value.length : sum), 0);
}

/** Returns NOSPACE for `memberID:8630161756594109333 alarm:NOSPACE `. Other problems keep etcd's text. */
const alarmName = (text: string): string => /alarm:(\w+)/.exec(text)?.[1] ?? text.replace(/^etcdserver: /, "");

const restoredError = () => new StoreError("restored", "the store holds a different history than observed before");

const closedError = () => new StoreError("closed", "the store is closed");
