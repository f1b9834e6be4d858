// Keeps a copy of a collection equal to the server's: list, watch from there, watch again from the last version seen, list again
// where that version is gone. Source: facts, client.md "List and watch".

import { metaOf, StatusError } from "@orch/machinery";
import { Backoff, type BackoffOptions, type Chance, type Clock, type Log, pauseUnlessAborted } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import type { WatchEvent } from "../requests/watch-events";
import { fullList, isTooNew, isTooOld } from "./full-list";
import type { ListSource } from "./list-source";

/** What is done with what is seen. */
export interface ReflectorTarget<T> {
  /** The whole collection, as it was at one version. */
  replace(items: readonly T[]): void;
  apply(event: Exclude<WatchEvent<T>, { readonly type: "BOOKMARK" }>): void;
}

export interface ReflectorDeps {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
}

const RECONNECT_BACKOFF: BackoffOptions = { firstMs: 800, factor: 2, maxMs: 30_000, jitter: 1, resetAfterMs: 120_000 };
/** A watch is asked for this long, and up to twice as long, so that the watches of a server do not end together. */
const WATCH_MIN_SECONDS = 300;
/** Added to what was asked before a watch that has not ended counts as dead. */
const WATCH_GRACE_MS = 30_000;
/** A watch that ends sooner, with nothing said, is a failure. */
const WATCH_SHORT_MS = 1_000;

/** @param name for the log, such as the resource's */
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

  /** The last version that the copy has reached. */
  get resourceVersion(): string {
    return this.version;
  }

  /** Ends, without an error, when the signal is aborted; never before. */
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

  /** Watches until the collection must be listed again. @throws what makes listing fail too */
  private async watchOn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.watchOnce(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isTooOld(error)) {
          this.warn("the watched version is gone", error, {});
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

  /** One watch, to its end. */
  private async watchOnce(signal: AbortSignal): Promise<void> {
    const { clock, chance } = this.deps;
    const minSeconds = this.options.watchMinSeconds ?? WATCH_MIN_SECONDS;
    const timeoutSeconds = Math.floor(minSeconds * (1 + chance()));
    const bound = new AbortController();
    const stop = () => bound.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    // No silent stall: what should have ended by itself and did not is cut.
    const cancel = clock.after(timeoutSeconds * 1000 + WATCH_GRACE_MS, () =>
      bound.abort(new Error("the watch is dead")),
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
    super("very short watch: it ended at once, without an event");
  }
}

/** The server will not have this watch; whether it will have a list is another question. 429 and 5xx are no such answer. */
const isRefusal = (error: unknown): boolean => error instanceof StatusError && error.code < 500 && error.code !== 429;
