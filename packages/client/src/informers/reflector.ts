// Replicates a collection: it lists, watches from that version, watches again from the last version seen after a
// failure, and lists again when that version has expired. Source:
// staging/src/k8s.io/client-go/tools/cache/reflector.go.

import { metaOf, StatusError } from "@orch/machinery";
import {
  Backoff,
  type BackoffOptions,
  type Clock,
  type Log,
  pauseUnlessAborted,
  type RandomSource,
} from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import type { WatchEvent } from "../requests/watch-events";
import { fullList, isTooNew, isTooOld } from "./full-list";
import type { ListSource } from "./list-source";

/** Receiver of the collection and its changes. */
export interface ReflectorTarget<T> {
  /** Replaces the whole collection by its state at one version. */
  replace(items: readonly T[]): void;
  apply(event: Exclude<WatchEvent<T>, { readonly type: "BOOKMARK" }>): void;
}

export interface ReflectorDeps {
  readonly clock: Clock;
  readonly chance: RandomSource;
  readonly log: Log;
}

const RECONNECT_BACKOFF: BackoffOptions = { firstMs: 800, factor: 2, maxMs: 30_000, jitter: 1, resetAfterMs: 120_000 };
/** Minimum duration of a watch. A random factor up to 2 spreads the ends of the watches. */
const WATCH_MIN_SECONDS = 300;
/** Time after the requested duration when a watch that has not ended is considered dead. */
const WATCH_GRACE_MS = 30_000;
/** A watch without events that ends sooner counts as a failure. */
const WATCH_SHORT_MS = 1_000;

/** @param name name in the log, such as the resource's */
export class Reflector<T extends object> {
  private version = "0";
  private pages = true;
  private readonly backoff: Backoff;

  constructor(
    private readonly source: ListSource<T>,
    private readonly target: ReflectorTarget<T>,
    private readonly options: { readonly name: string; readonly watchMinSeconds?: number },
    private readonly deps: ReflectorDeps,
  ) {
    this.backoff = new Backoff(RECONNECT_BACKOFF, deps);
  }

  /** Returns the last resource version of the copy. */
  get resourceVersion(): string {
    return this.version;
  }

  /** Runs until the signal is aborted, and then returns without an error. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.list(signal);
        await this.watchOn(signal);
      } catch (error) {
        if (signal.aborted) return;
        const waitMs = this.backoff.next();
        this.warn("listing again after a pause", error, { waitMs: Math.round(waitMs) });
        await pauseUnlessAborted(this.deps.clock, waitMs, signal);
      }
    }
  }

  private async list(signal: AbortSignal): Promise<void> {
    let list: Awaited<ReturnType<typeof fullList<T>>>;
    const first = this.version === "0";
    try {
      list = await fullList(this.source, { resourceVersion: this.version, pages: first || this.pages, signal });
    } catch (error) {
      if (!isTooOld(error) && !isTooNew(error)) throw error;
      list = await fullList(this.source, { resourceVersion: "", pages: true, signal });
    }
    if (first) this.pages = list.paged;
    this.version = list.resourceVersion;
    this.target.replace(list.items);
  }

  /** Watches until the collection must be listed again. @throws errors that listing would meet as well */
  private async watchOn(signal: AbortSignal): Promise<void> {
    let isUnauthorized = false;
    while (!signal.aborted) {
      try {
        await this.watchOnce(signal);
        isUnauthorized = false;
      } catch (error) {
        if (signal.aborted) return;
        // The token may have expired: the next request has a new one.
        const mayBeExpired: boolean = error instanceof StatusError && error.code === 401 && !isUnauthorized;
        isUnauthorized = mayBeExpired;
        if (mayBeExpired) continue;
        if (isTooOld(error)) {
          this.warn("the resource version of the watch has expired", error, {});
          return;
        }
        if (error instanceof ShortWatch) throw error;
        if (isRefusal(error)) throw error;
        const waitMs = this.backoff.next();
        this.warn("watching again after a pause", error, { waitMs: Math.round(waitMs) });
        await pauseUnlessAborted(this.deps.clock, waitMs, signal);
      }
    }
  }

  /** Runs one watch to its end. */
  private async watchOnce(signal: AbortSignal): Promise<void> {
    const { clock, chance } = this.deps;
    const minSeconds = this.options.watchMinSeconds ?? WATCH_MIN_SECONDS;
    const timeoutSeconds = Math.floor(minSeconds * (1 + chance()));
    const bound = new AbortController();
    const stop = () => bound.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    // Ends a watch that should have ended by itself: it must not stall silently.
    const cancel = clock.after(timeoutSeconds * 1000 + WATCH_GRACE_MS, () =>
      bound.abort(new Error("the watch sends no data")),
    );
    const began = clock.elapsed();
    let events = 0;
    try {
      const watch = this.source.watch({
        resourceVersion: this.version,
        allowWatchBookmarks: true,
        timeoutSeconds,
        signal: bound.signal,
      });
      for await (const event of watch) {
        events += 1;
        this.take(event);
      }
    } finally {
      cancel();
      signal.removeEventListener("abort", stop);
    }
    if (events === 0 && !signal.aborted && clock.elapsed() - began < WATCH_SHORT_MS) throw new ShortWatch();
  }

  private take(event: WatchEvent<T>): void {
    if (event.type === "BOOKMARK") {
      if (event.resourceVersion !== "") this.version = event.resourceVersion;
      return;
    }
    this.target.apply(event);
    const { resourceVersion } = metaOf(event.object as JsonObject);
    if (resourceVersion !== undefined) this.version = resourceVersion;
  }

  private warn(message: string, error: unknown, fields: Readonly<Record<string, unknown>>): void {
    this.deps.log.warn(message, { of: this.options.name, error: String(error), ...fields });
  }
}

class ShortWatch extends Error {
  constructor() {
    super("very short watch: it ended at once without an event");
  }
}

/** Reports that the server rejects the watch. A list may still succeed. 429 and 5xx are temporary failures instead. */
const isRefusal = (error: unknown): boolean => error instanceof StatusError && error.code < 500 && error.code !== 429;
