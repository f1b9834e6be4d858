// Waiting for a lease that another process holds, cut short as soon as the server says that nobody holds it any more.
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

/** After which the server ends a watch, so that one that died silently is not relied on for ever. */
const WATCH_SECONDS = 300;
const WATCH_GRACE_MS = 10_000;

/**
 * One watch over many waits. It only says when to try: what may be held, and since when, is read from the lease itself.
 * A watch that is lost or refused changes nothing but the time that a wait takes.
 */
export class LeaseWatch {
  private readonly ended = new AbortController();
  private watching = false;
  /** The lease came free, and nobody has been told yet. */
  private free = false;
  /** The last wait was cut short: the next watch begins only after a full one, so that no failure makes a busy loop. */
  private cutShort = false;
  private wake: () => void = () => {};

  constructor(private readonly deps: LeaseWatchDeps) {}

  /**
   * Ends after `waitMs`, when the signal is aborted, or when the lease comes free.
   * @param version of the lease as last seen: changes count from there. Undefined: there was none to watch
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

  /** One watch, to its end. Never throws. */
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
      if (!bound.signal.aborted) log.info("the lease is not watched for now", { lease: name, error: String(error) });
    } finally {
      cancel();
      this.ended.signal.removeEventListener("abort", cut);
      this.watching = false;
    }
  }
}

const isRelease = (event: WatchEvent<Lease>): boolean =>
  event.type === "DELETED" || (event.type !== "BOOKMARK" && holderOf(event.object) === "");
