// Chooses the endpoint. One connection is used at a time. When it is lost or silent, the next endpoint that completes a
// connection is used.

import { setTimeout as sleep } from "node:timers/promises";
import { Backoff } from "@orch/platform";
import { StoreError } from "../contract/contract";
import type { Connect, Connection, Endpoint } from "./transport";

/** Timeout of a connection attempt. */
const CONNECT_TIMEOUT_MS = 2000;
/** Delay after which the next endpoint is tried in parallel. */
const STAGGER_MS = 200;
/** Pauses between rounds in which no endpoint could be reached. */
const ROUND_PAUSES = { firstMs: 25, maxMs: 500 };
/**
 * Age from which a connection may be distrusted. Distrusting younger ones would only cycle through a cluster without a
 * leader.
 */
const DISTRUST_AFTER_MS = 1000;

export class EndpointPool {
  private readonly endpoints: readonly Endpoint[];
  private readonly connect: Connect;
  private readonly onSilent: (endpoint: string) => void;
  private readonly onRestored: () => void;
  private connection: Connection | undefined;
  private connectedAt = 0;
  private distrusted = false;
  private dialing: Promise<Connection> | undefined;
  /** The endpoint with which the next round begins. */
  private next: number;
  private closed = false;

  /**
   * @param first the endpoint to begin with: replicas that begin with different ones share the load
   * @param onSilent called with an endpoint that has become silent, when calls look for another one
   * @param onRestored called when every endpoint that answers holds another history than the one seen before
   */
  constructor(
    endpoints: readonly Endpoint[],
    connect: Connect,
    { first, onSilent = () => {}, onRestored = () => {} }: PoolOptions,
  ) {
    this.endpoints = endpoints;
    this.connect = connect;
    this.next = first;
    this.onSilent = onSilent;
    this.onRestored = onRestored;
  }

  /** The connection to use, if there is a healthy one. */
  get current(): Connection | undefined {
    const connection = this.connection;
    if (connection === undefined || !connection.open) return undefined;
    const elsewhere = this.endpoints.length > 1 && (this.distrusted || connection.silent);
    return elsewhere ? undefined : connection;
  }

  /**
   * Connects, and tries the endpoints repeatedly until there is a connection or the time is up.
   * @throws StoreError unavailable, restored
   */
  async acquire(withinMs: number): Promise<Connection> {
    const until = performance.now() + withinMs;
    if (this.connection?.open === true && this.connection.silent) this.onSilent(this.connection.endpoint);
    const backoff = new Backoff(ROUND_PAUSES);
    for (;;) {
      if (this.closed) throw unavailable("the store is closed");
      if (this.current !== undefined) return this.current;
      try {
        return await within(this.dial(), until - performance.now());
      } catch (error) {
        if (isRestored(error)) {
          this.onRestored();
          throw error;
        }
        // A slow connection is better than none.
        if (this.connection?.open === true) return this.connection;
        const pauseMs = backoff.next();
        if (performance.now() + pauseMs >= until) throw unavailable((error as Error).message);
        await sleep(pauseMs);
      }
    }
  }

  /** Prefers another endpoint, because this one answers but cannot serve, such as without a leader. */
  distrust(connection: Connection): void {
    if (connection === this.connection && performance.now() - this.connectedAt > DISTRUST_AFTER_MS)
      this.distrusted = true;
  }

  /** Probes the connection because another pool finds its endpoint silent. */
  probe(endpoint: string): void {
    if (this.connection?.open === true && this.connection.endpoint === endpoint) this.connection.probe();
  }

  /** Drops the connection made before now. */
  reset(): void {
    this.connection?.destroy();
    this.connection = undefined;
  }

  close(): void {
    this.closed = true;
    this.connection?.destroy();
  }

  private dial(): Promise<Connection> {
    this.dialing ??= this.round().finally(() => {
      this.dialing = undefined;
    });
    return this.dialing;
  }

  private async round(): Promise<Connection> {
    const order = this.endpoints.map((_, i) => (this.next + i) % this.endpoints.length);
    const { connection, index } = await this.firstOf(order);
    if (this.closed) {
      connection.destroy();
      throw new Error("the store is closed");
    }
    this.connection?.retire();
    this.connection = connection;
    this.connectedAt = performance.now();
    this.distrusted = false;
    // If this endpoint fails, the next round begins with the one after it.
    this.next = (index + 1) % this.endpoints.length;
    return connection;
  }

  /**
   * Connects to the endpoints in order. The next one is tried when one has failed or taken too long; the first
   * connection is used. An endpoint with another history is skipped while another one has the known history.
   */
  private firstOf(order: readonly number[]): Promise<{ readonly connection: Connection; readonly index: number }> {
    return new Promise((resolve, reject) => {
      let won = false;
      let started = 0;
      let failed = 0;
      let restored: unknown;
      let timer: NodeJS.Timeout | undefined;
      const startNext = () => {
        clearTimeout(timer);
        const index = order[started];
        if (won || index === undefined) return;
        started++;
        timer = setTimeout(startNext, STAGGER_MS);
        this.connect(this.endpoints[index] as Endpoint, CONNECT_TIMEOUT_MS).then(
          (connection) => {
            if (won) {
              connection.destroy();
              return;
            }
            won = true;
            clearTimeout(timer);
            resolve({ connection, index });
          },
          (error: unknown) => {
            if (isRestored(error)) restored = error;
            if (++failed === order.length) reject(restored ?? error);
            else startNext();
          },
        );
      };
      startNext();
    });
  }
}

interface PoolOptions {
  readonly first: number;
  readonly onSilent?: (endpoint: string) => void;
  readonly onRestored?: () => void;
}

const isRestored = (error: unknown): boolean => error instanceof StoreError && error.code === "restored";

const unavailable = (why: string) => new StoreError("unavailable", `no etcd endpoint can be reached: ${why}`);

async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no endpoint completed the connection in time")), Math.max(0, ms));
  });
  try {
    return await Promise.race([promise, bound]);
  } finally {
    clearTimeout(timer);
  }
}
