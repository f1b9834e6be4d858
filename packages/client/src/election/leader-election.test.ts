import { describe, expect, test } from "@jest/globals";
import { alreadyExists, conflict } from "@orch/machinery";
import type { Clock } from "@orch/platform";
import { ManualClock, settled } from "@orch/testing";
import type { WatchEvent } from "../requests/watch-events";
import { LeaderElection, type LeaderElectionOptions, type LeaseAccess } from "./leader-election";
import type { Lease } from "./lease-record";

const LEASES = { group: "coordination", resource: "leases" };

/** A server with a single Lease and optimistic concurrency: a write with an old resource version is rejected. */
class LeaseServer {
  lease: Lease | undefined;
  private version = 0;
  private readonly changes: WatchEvent<Lease>[] = [];
  private readonly watchers = new Set<() => void>();

  access(fails: () => "no" | "fails" | "hangs" = () => "no"): LeaseAccess {
    const call = async <Answer>(answer: () => Answer, signal?: AbortSignal): Promise<Answer> => {
      const how = fails();
      if (how === "fails") throw new Error("the server is away");
      if (how === "hangs") {
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      }
      return answer();
    };
    return {
      find: (_name, options) => call(() => this.lease, options?.signal),
      create: (lease, options) =>
        call(() => {
          if (this.lease !== undefined) throw alreadyExists(LEASES, "duty");
          return this.store(lease);
        }, options?.signal),
      update: (lease, options) =>
        call(() => {
          if (this.lease?.metadata?.resourceVersion !== lease.metadata?.resourceVersion) {
            throw conflict(LEASES, "duty", "it has changed");
          }
          return this.store(lease);
        }, options?.signal),
      watch: (options = {}) => this.watch(Number(options.resourceVersion), options.signal, fails),
    };
  }

  delete(): void {
    const { lease } = this;
    if (lease === undefined) return;
    this.lease = undefined;
    this.tell({ type: "DELETED", object: this.next(lease) });
  }

  private store(lease: Lease): Lease {
    this.lease = this.next(lease);
    this.tell({ type: "MODIFIED", object: this.lease });
    return this.lease;
  }

  private next(lease: Lease): Lease {
    this.version += 1;
    return structuredClone({ ...lease, metadata: { ...lease.metadata, resourceVersion: String(this.version) } });
  }

  private tell(change: WatchEvent<Lease>): void {
    this.changes.push(change); // the change to version n is at index n - 1
    for (const wake of this.watchers) wake();
  }

  private async *watch(after: number, signal: AbortSignal | undefined, fails: () => string) {
    let wake = () => {};
    const awake = () => wake();
    this.watchers.add(awake);
    signal?.addEventListener("abort", awake, { once: true });
    for (let told = after; signal?.aborted !== true; ) {
      if (fails() !== "no") throw new Error("the watch is lost");
      const change = this.changes[told];
      if (change === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      told += 1;
      yield change;
    }
  }
}

/** A process that takes part in the election. */
class Candidate {
  readonly stop = new AbortController();
  leading = false;
  /** Whether the work was told to stop. */
  told = false;
  terms = 0;
  readonly election: LeaderElection;
  readonly ended: Promise<void>;
  private finishWork: () => void = () => {};

  readonly notes: string[] = [];

  constructor(identity: string, options: Pick<LeaderElectionOptions, "leases" | "clock"> & { slowToStop?: boolean }) {
    this.election = new LeaderElection({
      ...options,
      events: { record: ({ reason, regarding, note }) => this.notes.push(`${reason} ${regarding.name}: ${note}`) },
      name: "duty",
      identity,
      chance: () => 0,
      lead: (signal) => this.lead(signal, options.slowToStop === true),
    });
    this.ended = this.election.run(this.stop.signal);
  }

  finish(): void {
    this.finishWork();
  }

  private async lead(signal: AbortSignal, slowToStop: boolean): Promise<void> {
    this.terms += 1;
    this.leading = true;
    this.told = false;
    await new Promise<void>((resolve) => {
      this.finishWork = resolve;
      signal.addEventListener("abort", () => {
        this.told = true;
        if (!slowToStop) resolve();
      });
    });
    this.leading = false;
  }
}

describe("two processes", () => {
  test("one leads and renews, and the other waits", async () => {
    const clock = new ManualClock();
    const server = new LeaseServer();
    const first = new Candidate("first", { leases: server.access(), clock });
    await settled();
    const second = new Candidate("second", { leases: server.access(), clock });
    await clock.pass(120_000);
    expect([first.leading, second.leading]).toEqual([true, false]);
    expect(server.lease?.spec).toMatchObject({
      holderIdentity: "first",
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      acquireTime: "2030-01-01T00:00:00.000000Z",
      renewTime: "2030-01-01T00:02:00.000000Z",
    });
    expect(second.election.currentLeader).toBe("first");
  });

  test.each([
    ["an hour late", -3_600_000],
    ["an hour early", 3_600_000],
  ])("the other, whose date is %s, neither leads too soon nor too late", async (_how, skewMs) => {
    const clock = new ManualClock();
    const server = new LeaseServer();
    let isAway = false;
    const first = new Candidate("first", { leases: server.access(() => (isAway ? "hangs" : "no")), clock });
    await settled();
    const itsClock: Clock = {
      now: () => clock.now() + skewMs,
      elapsed: () => clock.elapsed(),
      after: (delayMs, callback) => clock.after(delayMs, callback),
    };
    const second = new Candidate("second", { leases: server.access(), clock: itsClock });
    await clock.pass(60_000);
    expect([first.leading, second.leading]).toEqual([true, false]);
    isAway = true;
    await clock.pass(12_000);
    expect([first.leading, second.leading]).toEqual([false, false]);
    await clock.pass(8_000);
    expect([first.leading, second.leading]).toEqual([false, true]);
  });

  test("the other leads when the leader is told to stop, before its next try is due", async () => {
    const clock = new ManualClock();
    const server = new LeaseServer();
    const first = new Candidate("first", { leases: server.access(), clock });
    await settled();
    const second = new Candidate("second", { leases: server.access(), clock });
    await clock.pass(60_000);
    first.stop.abort();
    await first.ended;
    await settled();
    expect([first.leading, second.leading]).toEqual([false, true]);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: "second", leaseTransitions: 1 });
    expect([...first.notes, ...second.notes]).toEqual([
      "LeaderElection duty: first became leader",
      "LeaderElection duty: first stopped leading",
      "LeaderElection duty: second became leader",
    ]);
  });

  test("the other takes a lease that is deleted, before its next try is due", async () => {
    const clock = new ManualClock();
    const server = new LeaseServer();
    await server.access().create({ metadata: { name: "duty" }, spec: { holderIdentity: "a process of the past" } });
    const second = new Candidate("second", { leases: server.access(), clock });
    await settled();
    expect(second.leading).toBe(false);
    server.delete();
    await settled();
    expect(second.leading).toBe(true);
  });

  test("the other leads at its next try when it cannot watch", async () => {
    const clock = new ManualClock();
    const server = new LeaseServer();
    const first = new Candidate("first", { leases: server.access(), clock });
    await settled();
    const leases = { ...server.access(), watch: server.access(() => "fails").watch };
    const second = new Candidate("second", { leases, clock });
    await clock.pass(60_000);
    first.stop.abort();
    await first.ended;
    await settled();
    expect(second.leading).toBe(false);
    await clock.pass(2_000);
    expect(second.leading).toBe(true);
  });

  test.each([["fails"], ["hangs"]] as const)(
    "a leader whose server %s stops before the other may lead, even with clocks that disagree by days",
    async (how) => {
      const clock = new ManualClock();
      const otherClock = new ManualClock(Date.UTC(2031, 5, 1));
      const server = new LeaseServer();
      let away = false;
      const first = new Candidate("first", { leases: server.access(() => (away ? how : "no")), clock });
      await settled();
      const second = new Candidate("second", { leases: server.access(), clock: otherClock });
      const both = async (ms: number) => {
        for (let passed = 0; passed < ms; passed += 500) {
          await clock.pass(500);
          await otherClock.advance(500);
          expect(first.leading && second.leading).toBe(false);
        }
      };
      await both(30_000);
      expect(first.leading).toBe(true);
      away = true;
      await both(11_000);
      expect([first.told, first.leading, second.leading]).toEqual([true, false, false]);
      await both(9_000);
      expect(second.leading).toBe(true);
      away = false;
      await both(60_000);
      expect([first.leading, second.leading]).toEqual([false, true]);
    },
  );

  test("a leader whose work is slow to end keeps the lease until it has", async () => {
    const clock = new ManualClock();
    const server = new LeaseServer();
    const first = new Candidate("first", { leases: server.access(), clock, slowToStop: true });
    await settled();
    const second = new Candidate("second", { leases: server.access(), clock });
    await clock.pass(10_000);
    first.stop.abort();
    await clock.pass(60_000);
    expect([first.told, first.leading, second.leading]).toEqual([true, true, false]);
    first.finish();
    await clock.pass(3_000);
    expect([first.leading, second.leading]).toEqual([false, true]);
  });

  test("a deleted lease is recreated by the leader", async () => {
    const clock = new ManualClock();
    const server = new LeaseServer();
    const first = new Candidate("first", { leases: server.access(), clock });
    await clock.pass(5_000);
    server.delete();
    await clock.pass(5_000);
    expect(first.leading).toBe(true);
    expect((server.lease as Lease | undefined)?.spec?.holderIdentity).toBe("first");
  });

  test("a lease taken by another holder ends the leader at its next renewal", async () => {
    const clock = new ManualClock();
    const server = new LeaseServer();
    const first = new Candidate("first", { leases: server.access(), clock });
    await clock.pass(5_000);
    await server.access().update({ ...server.lease, spec: { ...server.lease?.spec, holderIdentity: "thief" } });
    await clock.pass(2_000);
    expect(first.leading).toBe(false);
  });
});

test("a process that was told to stop while it waited ends without having led", async () => {
  const clock = new ManualClock();
  const server = new LeaseServer();
  const first = new Candidate("first", { leases: server.access(), clock });
  await settled();
  const second = new Candidate("second", { leases: server.access(), clock });
  await clock.pass(3_000);
  second.stop.abort();
  await second.ended;
  expect(second.terms).toBe(0);
  expect(first.leading).toBe(true);
});

test.each([
  [
    "a lease that ends before the leader gives up",
    { leaseDurationMs: 10_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 },
  ],
  ["a deadline that leaves no second try", { leaseDurationMs: 15_000, renewDeadlineMs: 2_000, retryPeriodMs: 2_000 }],
])("refuses durations with %s", (_what, durations) => {
  const lead = async () => {};
  const leases = new LeaseServer().access();
  expect(() => new LeaderElection({ leases, name: "duty", identity: "a", durations, lead })).toThrow(RangeError);
});
