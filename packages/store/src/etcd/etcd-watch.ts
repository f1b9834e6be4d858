// One watch over etcd's history, across connections. Its position is the last event's revision + 1, never the revision
// in an answer's header: the header has the store's newest revision while history still arrives in pieces. Example: at
// 5, with 6..9 to come, an answer holds the events of 6 and 7 under header 9; if the connection is lost here, the watch
// resumes from 8.

import { setTimeout as sleep } from "node:timers/promises";
import { Backoff } from "@orch/platform";
import {
  type Revision,
  revisionOf,
  StoreError,
  type StoreEvent,
  type StoreWatch,
  type WatchHandlers,
  type WatchRequest,
} from "../contract/contract";
import {
  WatchRequest as WatchRequestCodec,
  type WatchResponse,
  WatchResponse as WatchResponseCodec,
} from "../generated/etcd";
import type { EndpointPool } from "./endpoint-pool";
import { toStoreError } from "./errors";
import { keyRange, storeEvent } from "./messages";
import { GRPC_STATUS, GrpcError, type GrpcStream } from "./transport";
import { decode, encode } from "./wire";

const WATCH_METHOD = "/etcdserverpb.Watch/Watch";
const CONNECT_WITHIN_MS = 3000;
const PAUSES = { firstMs: 20, maxMs: 1000 };

export class EtcdWatch implements StoreWatch {
  private readonly pool: EndpointPool;
  private readonly request: WatchRequest;
  private readonly handlers: WatchHandlers;
  private readonly happened: (event: StoreEvent) => void;
  private readonly onEnd: (watch: EtcdWatch) => void;
  /** The next revision wanted; 0 until etcd has reported the current one. */
  private next: Revision;
  /**
   * Events of a revision that may be incomplete. Every part of a long answer except the last may end with such events.
   */
  private carried: StoreEvent[] = [];
  private stream: GrpcStream | undefined;
  private started = false;
  private over = false;

  /** @param happened called with the last event of each batch, before it is delivered */
  constructor(
    pool: EndpointPool,
    request: WatchRequest,
    handlers: WatchHandlers,
    { happened, onEnd }: { readonly happened: (event: StoreEvent) => void; readonly onEnd: (watch: EtcdWatch) => void },
  ) {
    this.pool = pool;
    this.request = request;
    this.next = request.fromRevision ?? 0;
    this.handlers = handlers;
    this.happened = happened;
    this.onEnd = onEnd;
    void this.run();
  }

  close(): void {
    this.end("closed");
  }

  end(reason: StoreError | "closed"): void {
    if (this.over) return;
    this.over = true;
    this.stream?.close();
    this.onEnd(this);
    queueMicrotask(() => this.handlers.ended(reason));
  }

  private async run(): Promise<void> {
    let told = false;
    const backoff = new Backoff(PAUSES);
    while (!this.over) {
      this.started = false;
      const problem = await this.follow();
      if (this.over) return;
      if (this.started) {
        told = false;
        backoff.reset();
      }
      if (!told) {
        told = true;
        this.handlers.interrupted?.(toStoreError(problem, { writes: false }));
      }
      await sleep(backoff.next());
    }
  }

  /** Watches over one stream. Resolves when it has ended, with the reason. */
  private async follow(): Promise<GrpcError | StoreError> {
    let connection: Awaited<ReturnType<EndpointPool["acquire"]>>;
    try {
      connection = this.pool.current ?? (await this.pool.acquire(CONNECT_WITHIN_MS));
    } catch (error) {
      return error as StoreError;
    }
    const problem = await new Promise<GrpcError>((resolve) => {
      if (this.over) return;
      this.carried = [];
      this.stream = connection.stream(WATCH_METHOD, {
        message: (bytes) => {
          const refused = this.read(bytes);
          if (refused === undefined) return;
          this.stream?.close();
          resolve(refused);
        },
        end: resolve,
      });
      this.stream.send(
        encode(WatchRequestCodec, {
          createRequest: { ...keyRange(this.request), startRevision: this.next, fragment: true },
        }),
      );
    });
    if (connection.open) this.pool.distrust(connection);
    return problem;
  }

  /** @returns the reason when the stream can no longer be used */
  private read(bytes: Buffer): GrpcError | undefined {
    let answer: WatchResponse;
    try {
      answer = decode(WatchResponseCodec, bytes);
    } catch (error) {
      return error as GrpcError;
    }
    return this.receive(answer);
  }

  private receive(answer: WatchResponse): GrpcError | undefined {
    if (this.over) return undefined;
    if (answer.compactRevision) {
      const compactRevision = answer.compactRevision;
      const message = `the watch needs revision ${this.next}; the oldest revision kept is ${compactRevision}`;
      this.end(new StoreError("compacted", message, { compactRevision }));
      return undefined;
    }
    if (answer.canceled)
      return new GrpcError(GRPC_STATUS.unavailable, answer.cancelReason || "etcd ended the watch", true);
    if (answer.created) {
      if (this.next === 0) this.next = (answer.header?.revision ?? 0) + 1;
      this.started = true;
      this.handlers.started?.(this.next);
    }
    this.deliver(answer);
    return undefined;
  }

  private deliver({ events: received = [], fragment = false }: WatchResponse): void {
    const events = this.carried;
    this.carried = [];
    for (const event of received) {
      if ((event.kv?.modRevision ?? 0) >= this.next) events.push(storeEvent(event));
    }
    const last = events.at(-1);
    if (last === undefined) return;
    if (fragment) {
      const unfinished = revisionOf(last);
      const start = events.findIndex((event) => revisionOf(event) === unfinished);
      this.carried = events.splice(start);
    }
    const newest = events.at(-1);
    if (newest === undefined) return;
    const revision = revisionOf(newest);
    this.next = revision + 1;
    this.happened(newest);
    this.handlers.batch({ revision, events });
  }
}
