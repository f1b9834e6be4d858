// Schedulers of several replicas on one store, whose clocks a test moves.
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import type { Log } from "@orch/platform";
import { openStore, type Store } from "@orch/store";
import { ManualClock } from "@orch/testing";
import { BackupError } from "../content/backup-error";
import { FolderTarget } from "../targets/folder-target";
import type { BackupRecord } from "./backup-record";
import { BackupScheduler, type SchedulerParts } from "./backup-scheduler";
import { readBackupTimes } from "./backup-times";

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function place() {
  const folder = mkdtempSync(join(tmpdir(), "backups-"));
  const store = await openStore({ kind: "memory" });
  closing.push(
    () => rmSync(folder, { recursive: true }),
    () => store.close(),
  );
  await store.txn({ compare: [], then: [{ kind: "put", key: "/registry/x", value: Buffer.from("x") }] });
  return { folder, store };
}

interface Replica {
  readonly clock: ManualClock;
  readonly lines: string[];
  readonly results: string[];
  known: BackupRecord | undefined;
  stop(): Promise<void>;
}

function replica(store: Store, folder: string, more: Partial<SchedulerParts> = {}): Replica {
  const clock = new ManualClock(Date.UTC(2030, 0, 1, 12));
  const lines: string[] = [];
  const tell = (message: string, fields = {}) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { error: tell, warn: tell, info: tell };
  const made: Omit<Replica, "stop"> = { clock, lines, results: [], known: undefined };
  const scheduler = new BackupScheduler({
    ...{ store, clock, log, prefix: "/registry", self: "me", chance: () => 0, times: readBackupTimes("1h") },
    retention: { keep: 3, keepForMs: undefined },
    openTargets: () => [new FolderTarget(folder, { exclusiveMark: "server-" })],
    observer: {
      known: (record) => {
        made.known = record;
      },
      ended: (result) => void made.results.push(result),
    },
    ...more,
  });
  scheduler.start();
  closing.push(() => scheduler.stop());
  return Object.assign(made, { stop: () => scheduler.stop() });
}

/** Lets time pass in steps. A backup that begins in one ends before the next. */
async function pass(
  clocks: readonly ManualClock[],
  ms: number,
  { stepMs = 10_000, store }: PassOptions,
): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    for (const clock of clocks) {
      await clock.pass(stepMs);
      do await shortly();
      while (store !== undefined && (await store.range({ start: "backup_lock/registry" })).count > 0);
    }
  }
}

interface PassOptions {
  readonly stepMs?: number;
  /** Absent: backups do not end. */
  readonly store?: Store;
}

const shortly = () => new Promise((resolve) => setTimeout(resolve, 3));

test("one of two replicas takes each backup, and old ones are removed", async () => {
  const { folder, store } = await place();
  const [one, other] = [replica(store, folder), replica(store, folder)];
  await pass([one.clock, other.clock], 4.5 * 3_600_000, { stepMs: 60_000, store });
  expect([...one.results, ...other.results]).toEqual(Array.from({ length: 5 }, () => "success"));
  expect(readdirSync(folder)).toHaveLength(3);
  expect(one.known?.succeededMs).toBe(other.known?.succeededMs);
});

test("missed times are made up once", async () => {
  const { folder, store } = await place();
  const first = replica(store, folder);
  await pass([first.clock], 60_000, { store });
  await first.stop();
  const later = replica(store, folder);
  later.clock.step(7.5 * 3_600_000);
  await pass([later.clock], 30 * 60_000, { stepMs: 60_000, store });
  expect(later.results).toEqual(["success"]);
});

test("a clock that is set forward and back costs one backup each, and never the last ones", async () => {
  const { folder, store } = await place();
  const { clock, results } = replica(store, folder, { retention: { keep: 9, keepForMs: 86_400_000 } });
  await pass([clock], 3.5 * 3_600_000, { stepMs: 60_000, store });
  expect(results).toHaveLength(4);
  clock.step(400 * 86_400_000);
  await pass([clock], 120_000, { store });
  expect(results).toHaveLength(5);
  expect(readdirSync(folder)).toHaveLength(3);
  clock.step(-400 * 86_400_000);
  await pass([clock], 120_000, { store });
  expect(results).toHaveLength(6);
  await pass([clock], 3_600_000, { stepMs: 60_000, store });
  expect(results).toHaveLength(7);
  expect(new Set(results)).toEqual(new Set(["success"]));
});

test("a failure is told, tried again after a pause, and leaves nothing", async () => {
  const { folder, store } = await place();
  let fails = 2;
  const failing = {
    ...bound(store),
    async *backup() {
      yield Buffer.from("ORJB");
      fails -= 1;
      if (fails >= 0) throw new BackupError("no more");
      yield* [];
    },
  } as Store;
  const { clock, lines, results, stop } = replica(failing, folder);
  await pass([clock], 8_000, { stepMs: 1000, store });
  expect(results).toEqual(["failure"]);
  expect(lines[0]).toBe('cannot take a backup {"error":"no more","failures":1,"nextAttemptSeconds":10}');
  await pass([clock], 20_000, { stepMs: 1000, store });
  expect(results).toEqual(["failure", "failure"]);
  expect(readdirSync(folder)).toEqual([]);
  await stop();
  const well = replica(store, folder);
  expect(well.known).toBeUndefined();
  await pass([well.clock], 120_000, { stepMs: 5_000, store });
  expect(well.results).toEqual(["success"]);
  expect(well.known).toMatchObject({ failures: 0 });
});

test("partial files of servers are removed, and files of others stay", async () => {
  const { folder, store } = await place();
  const recent = "orch-2020-01-01T00-00-00Z.backup.partial-1";
  const others = ["notes.txt", "orch-notes.backup", "x.partial-server-1", recent];
  const abandoned = "orch-2020-01-01T00-00-00Z.backup.partial-server-0011aabb";
  for (const name of [...others, abandoned]) writeFileSync(join(folder, name), "x");
  const { clock, results } = replica(store, folder);
  utimesSync(join(folder, recent), clock.now() / 1000, clock.now() / 1000);
  await pass([clock], 20_000, { store });
  expect(results).toEqual(["success"]);
  expect(readdirSync(folder).filter((name) => !name.startsWith("orch-2030"))).toEqual([...others].sort());
});

test("a backup that does not progress fails", async () => {
  const { folder, store } = await place();
  const stuck = {
    ...bound(store),
    backup: ({ signal }: { signal?: AbortSignal } = {}) => ({
      [Symbol.asyncIterator]: () => ({
        next: () =>
          new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error))),
      }),
    }),
  } as unknown as Store;
  const { clock, lines, stop } = replica(stuck, folder);
  await pass([clock], 200_000, { stepMs: 20_000 });
  await stop();
  expect(lines[0]).toMatch(/^cannot take a backup .*"the backup has not progressed for 120 s"/);
  expect(readdirSync(folder)).toEqual([]);
});

test.each(["{", "null", '"x"', '{"succeededMs":"x","failures":-3,"retryMs":{}}', "x".repeat(100_000), "[]"])(
  "a record that nobody could have written is taken for none (%#)",
  async (text) => {
    const { folder, store } = await place();
    const value = Buffer.from(text);
    await store.txn({ compare: [], then: [{ kind: "put", key: "backup_state/registry", value }] });
    const { clock, results } = replica(store, folder);
    await pass([clock], 20_000, { store });
    expect(results).toEqual(["success"]);
  },
);

function bound(store: Store): Store {
  const names = [
    "range",
    "txn",
    "watch",
    "compact",
    "grantLease",
    "keepLeaseAlive",
    "revokeLease",
    "status",
    "close",
  ] as const;
  return Object.fromEntries(
    names.map((name) => [name, (store[name] as () => unknown).bind(store)]),
  ) as unknown as Store;
}
