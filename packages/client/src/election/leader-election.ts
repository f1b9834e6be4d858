// Leader election among processes by a shared Lease object. Source: Kubernetes documentation, "Leases".
//
// There are never two leaders: a leader stops `renewDeadlineMs` after the *start* of its last successful renewal. The
// others wait `leaseDurationMs`, which is longer, after they first *saw* that renewal, which is later.
//
//   renewal starts t0 | is stored t0+a | is seen by others t0+b, b >= a
//   leader stops t0+10 s | others may acquire t0+b+15 s

import { isCode } from "@orch/machinery";
import { type Clock, type Log, pauseUnlessAborted, type RandomSource, silentLog, systemClock } from "@orch/platform";
import type { EventSink } from "../events/event-recorder";
import type { CallOptions } from "../requests/options";
import type { ResourceClient } from "../requests/resource-client";
import { heldLease, holderOf, type Lease, mayBeHeld, type ObservedLease, releasedLease } from "./lease-record";
import { LeaseWatch } from "./lease-watch";

/** Leases of one namespace, such as `client.resource(leases).namespace("…")`. */
export type LeaseAccess = Pick<ResourceClient<Lease>, "find" | "create" | "update" | "watch">;

export interface LeaderElectionOptions {
  readonly leases: LeaseAccess;
  /** Name of the Lease. */
  readonly name: string;
  /** Identity of the process, unique among the candidates, such as `<host>_<uuid>`. */
  readonly identity: string;
  /**
   * Work of the leader. Its signal is aborted when the leadership is lost, before another process may lead, or when
   * `run` is stopped; the work must then end soon. When the work returns by itself, the leadership is released.
   */
  readonly lead: (signal: AbortSignal) => Promise<void>;
  /** Recorder for events about changes of the leader. */
  readonly events?: EventSink;
  /** Called when another holder is seen, including this process. */
  readonly leaderChanged?: (identity: string) => void;
  readonly durations?: LeaseDurations;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly chance?: RandomSource;
}

export interface LeaseDurations {
  /** Time without a renewal after which others may acquire the Lease. */
  readonly leaseDurationMs: number;
  /** Time without a successful renewal after which the leader gives up. */
  readonly renewDeadlineMs: number;
  /** Time between attempts. */
  readonly retryPeriodMs: number;
}

export const DEFAULT_LEASE_DURATIONS: LeaseDurations = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

/** Maximum random extension of the time between attempts to acquire, as a factor of the period. */
const ACQUIRE_JITTER = 1.2;
const CALL_TIMEOUT_MIN_MS = 1_000;
const RELEASE_TRIES = 3;
/** Timeout of all attempts to release the Lease: the server may be gone, and the process is about to end. */
const RELEASE_MS = 5_000;

export class LeaderElection {
  private readonly clock: Clock;
  private readonly chance: RandomSource;
  private readonly log: Log;
  private readonly durations: LeaseDurations;
  private readonly leases: LeaseAccess;
  private seen: ObservedLease | undefined;
  /** Start of the last successful renewal; undefined while not leading. */
  private renewedAt: number | undefined;
  private leader = "";

  /** @throws RangeError for durations that would allow two leaders */
  constructor(private readonly options: LeaderElectionOptions) {
    const { clock = systemClock, chance = Math.random, log = silentLog, durations = DEFAULT_LEASE_DURATIONS } = options;
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = durations;
    if (leaseDurationMs <= renewDeadlineMs)
      throw new RangeError("the lease duration must be greater than the renew deadline");
    if (renewDeadlineMs <= ACQUIRE_JITTER * retryPeriodMs) {
      throw new RangeError("the renew deadline must be greater than 1.2 times the retry period");
    }
    this.clock = clock;
    this.chance = chance;
    this.log = log;
    this.durations = durations;
    this.leases = options.leases;
  }

  /** Returns the identity of the leader as seen last; "" for none. */
  get currentLeader(): string {
    return this.leader;
  }

  get isLeader(): boolean {
    return this.renewedAt !== undefined;
  }

  /** Returns the state for a health check: false for a leader that should have stopped long ago. */
  isHealthy(graceMs = 20_000): boolean {
    const { renewedAt } = this;
    return renewedAt === undefined || this.clock.elapsed() - renewedAt < this.durations.leaseDurationMs + graceMs;
  }

  /**
   * Acquires the Lease, leads, and starts again after each loss, until the signal is aborted. Then the work ends and
   * the Lease is released, so that another process can lead at once.
   * @throws the error of `lead`, after releasing the Lease
   */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.acquire(signal);
      if (this.isLeader && signal.aborted) await this.giveBack();
      else if (this.isLeader) await this.leadUntilLost(signal);
    }
  }

  /**
   * Acquires the Lease. A running attempt is not cancelled: it might have been stored, and the Lease would not be
   * released.
   */
  private async acquire(signal: AbortSignal): Promise<void> {
    const { leases, clock, log } = this;
    const watch = new LeaseWatch({ leases, name: this.options.name, clock, log });
    while (!signal.aborted) {
      if (await this.tryToHold()) {
        this.log.info("became leader", this.fields());
        this.tell("BecomeLeader", "became leader");
        break;
      }
      const waitMs = this.durations.retryPeriodMs * (1 + ACQUIRE_JITTER * this.chance());
      await watch.wait(waitMs, this.seen?.lease.metadata?.resourceVersion, signal);
    }
    watch.end();
  }

  /** Leads. The Lease is renewed until the work has ended, also while it is stopping. */
  private async leadUntilLost(signal: AbortSignal): Promise<void> {
    const work = new AbortController();
    const stop = () => work.abort(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    const renewal = new AbortController();
    const lose = (why: string): void => {
      if (renewal.signal.aborted) return;
      this.renewedAt = undefined;
      this.log.warn("lost the lease", { ...this.fields(), why });
      renewal.abort();
      work.abort(new Error(why));
    };
    const renewing = this.renew(renewal.signal, lose);
    try {
      await this.options.lead(work.signal);
    } finally {
      signal.removeEventListener("abort", stop);
      renewal.abort();
      await renewing;
      if (this.isLeader) await this.giveBack();
      this.log.info("stopped leading", this.fields());
      this.tell("StopLeading", "stopped leading");
    }
  }

  private async renew(signal: AbortSignal, lose: (why: string) => void): Promise<void> {
    let cancelDeadline = this.armDeadline(lose);
    while (!signal.aborted) {
      await pauseUnlessAborted(this.clock, this.durations.retryPeriodMs, signal);
      if (signal.aborted) break;
      if (await this.tryToHold(signal)) {
        cancelDeadline();
        cancelDeadline = this.armDeadline(lose);
      } else if (![this.options.identity, ""].includes(holderOf(this.seen?.lease))) {
        lose("another process holds the lease");
      }
    }
    cancelDeadline();
  }

  /** Starts the timer of the renew deadline. A renewal that hangs must not prolong the leadership. */
  private armDeadline(lose: (why: string) => void): () => void {
    const leftMs = (this.renewedAt ?? 0) + this.durations.renewDeadlineMs - this.clock.elapsed();
    return this.clock.after(Math.max(leftMs, 0), () => lose("the lease could not be renewed in time"));
  }

  /**
   * Reads the Lease, and writes it when it is free, expired or already held by this process.
   * @returns whether it is held now
   */
  private async tryToHold(signal?: AbortSignal): Promise<boolean> {
    const began = this.clock.elapsed();
    const { identity } = this.options;
    try {
      // A leader writes without reading: no other process should have changed the Lease, and a conflict (409) reveals
      // if one has.
      if (!this.isLeader || this.seen === undefined) await this.look(signal);
      const { leaseDurationMs } = this.durations;
      if (!mayBeHeld(this.seen, { identity, leaseDurationMs, nowMs: this.clock.elapsed() })) return false;
      const by = { name: this.options.name, identity, leaseDurationMs, epochMs: this.clock.now() };
      await this.write(heldLease(this.seen?.lease, by), signal);
      if (signal?.aborted === true) return false; // lost meanwhile, or no longer wanted
      this.renewedAt = began;
      return true;
    } catch (error) {
      if (signal?.aborted === true) return false;
      if (isCode(error, 409) || isCode(error, 404)) await this.look(signal).catch(() => undefined);
      this.log.info("cannot acquire or renew the lease", { ...this.fields(), error: String(error) });
      return false;
    }
  }

  private async look(signal?: AbortSignal): Promise<void> {
    const lease = await this.leases.find(this.options.name, this.call(signal));
    if (lease === undefined) this.seen = undefined;
    else this.observe(lease);
  }

  private async write(lease: Lease, signal?: AbortSignal): Promise<void> {
    const call = this.call(signal);
    this.observe(
      this.seen === undefined ? await this.leases.create(lease, call) : await this.leases.update(lease, call),
    );
  }

  /** Records a state of the Lease with the time when it was first seen. */
  private observe(lease: Lease): void {
    if (this.seen?.lease.metadata?.resourceVersion === lease.metadata?.resourceVersion) return;
    this.seen = { lease, at: this.clock.elapsed() };
    const holder = holderOf(lease);
    if (holder === this.leader) return;
    this.leader = holder;
    if (holder !== "") this.options.leaderChanged?.(holder);
  }

  private async giveBack(): Promise<void> {
    this.renewedAt = undefined;
    await this.release();
  }

  /**
   * Releases the Lease with best effort: otherwise others acquire it after it has expired. A cancelled renewal may have
   * been stored.
   */
  private async release(): Promise<void> {
    const bound = new AbortController();
    const cancel = this.clock.after(RELEASE_MS, () => bound.abort(new Error(`no answer within ${RELEASE_MS} ms`)));
    for (let tries = 1; tries <= RELEASE_TRIES && !bound.signal.aborted; tries += 1) {
      const held = this.seen?.lease;
      if (held === undefined || holderOf(held) !== this.options.identity) break;
      try {
        await this.write(releasedLease(held, this.clock.now()), bound.signal);
        break;
      } catch (error) {
        if (isCode(error, 409)) await this.look(bound.signal).catch(() => undefined);
        else this.log.warn("cannot release the lease", { ...this.fields(), error: String(error) });
      }
    }
    cancel();
  }

  private tell(action: string, what: string): void {
    const { kind = "Lease", apiVersion = "", metadata } = this.seen?.lease ?? {};
    const { name = this.options.name, namespace = "", uid = "" } = metadata ?? {};
    this.options.events?.record({
      regarding: { kind, apiVersion, namespace, name, uid },
      type: "Normal",
      reason: "LeaderElection",
      action,
      note: `${this.options.identity} ${what}`,
    });
  }

  private call(signal: AbortSignal | undefined): CallOptions {
    const timeoutMs = Math.max(this.durations.renewDeadlineMs / 2, CALL_TIMEOUT_MIN_MS);
    return signal === undefined ? { timeoutMs } : { timeoutMs, signal };
  }

  private fields() {
    return { lease: this.options.name, identity: this.options.identity };
  }
}
