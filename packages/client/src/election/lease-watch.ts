// Wait for a Lease held by another process. The wait ends early when the holder releases it.
import { type Clock, type Log, pauseUnlessAborted } from "@orch/platform";
import type { ResourceClient } from "../requests/resource-client";
import type { WatchEvent } from "../requests/watch-events";
import { holderOf, type Lease } from "./lease-record";

export interface LeaseWatchDeps {
  readonly leases: Pick<ResourceClient<Lease>, "watch">;
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Timeout of a watch, so that one that died silently is replaced. */
const WATCH_SECONDS = 300;
const WATCH_GRACE_MS = 10_000;

/**
 * A watch across several waits. It only triggers attempts; the state is read from the Lease itself. A failed watch only
 * makes a wait last its full time.
 */
export class LeaseWatch {
  private readonly ended = new AbortController();
  private watching = false;
  /** The Lease was released, and no wait has ended because of it yet. */
  private free = false;
  /**
   * The last wait ended early. The next watch starts only after a full wait, so that failures never cause a busy loop.
   */
  private cutShort = false;
  private wake: () => void = () => {};

  constructor(private readonly deps: LeaseWatchDeps) {}

  /**
   * Waits until `waitMs` has passed, the signal is aborted, or the Lease is released.
   * @param version resource version of the Lease as last seen: the watch starts there. Undefined: there is no Lease to
   * watch
   */
  async wait(waitMs: number, version: string | undefined, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    if (!this.watching && !this.cutShort && version !== undefined) void this.watch(version);
    const waiting = new AbortController();
    const stop = () => waiting.abort();
    signal.addEventListener("abort", stop, { once: true });
    this.wake = stop;
    if (this.free) stop();
    await pauseUnlessAborted(this.deps.clock, waitMs, waiting.signal);
    signal.removeEventListener("abort", stop);
    this.cutShort = this.free;
    this.free = false;
  }

  end(): void {
    this.ended.abort();
  }

  /** Runs one watch to its end. Never throws. */
  private async watch(version: string): Promise<void> {
    const { leases, name, clock, log } = this.deps;
    const bound = new AbortController();
    const cut = () => bound.abort();
    this.ended.signal.addEventListener("abort", cut, { once: true });
    const cancel = clock.after(WATCH_SECONDS * 1000 + WATCH_GRACE_MS, cut);
    this.watching = true;
    try {
      const events = leases.watch({
        fieldSelector: `metadata.name=${name}`,
        resourceVersion: version,
        timeoutSeconds: WATCH_SECONDS,
        signal: bound.signal,
      });
      for await (const event of events) {
        if (!isRelease(event)) continue;
        this.free = true;
        this.wake();
      }
    } catch (error) {
      if (!bound.signal.aborted) log.info("cannot watch the lease for now", { lease: name, error: String(error) });
    } finally {
      cancel();
      this.ended.signal.removeEventListener("abort", cut);
      this.watching = false;
    }
  }
}

const isRelease = (event: WatchEvent<Lease>): boolean =>
  event.type === "DELETED" || (event.type !== "BOOKMARK" && holderOf(event.object) === "");
