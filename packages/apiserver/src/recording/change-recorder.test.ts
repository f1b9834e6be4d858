// Recordings on disks that are slow, that fail and that are full. A FIFO is a disk that is as slow as its reader.
import { execFileSync } from "node:child_process";
import { closeSync, constants, existsSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInThisContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { silentLog, systemClock } from "@orch/platform";
import { openStore, type Store } from "@orch/store";
import { ChangeRecorder } from "./change-recorder";

const MIB = 1024 * 1024;
/** Size of the value of each write. */
const VALUE_BYTES = MIB;
/** Writes of {@link VALUE_BYTES} that are more than what a recorder keeps for the disk. */
const WRITES = 24;

let folder: string;
let path: string;
let store: Store;
let recorder: ChangeRecorder;
let errors: string[];
const warnings: string[] = [];
/** The process itself, and not the copy that jest gives to tests. */
const realProcess = runInThisContext("process") as typeof process;
const noteWarning = ({ message }: Error): void => void warnings.push(message);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "recorder-"));
  path = join(folder, "changes");
  errors = [];
  warnings.length = 0;
  realProcess.on("warning", noteWarning);
  store = await openStore({ kind: "memory" });
});
afterEach(async () => {
  realProcess.off("warning", noteWarning);
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function record(file: string): Promise<Store> {
  const logger = {
    ...silentLog,
    error: (_: string, fields?: { readonly error?: unknown }) => void errors.push(String(fields?.error)),
  };
  const of = { vocabulary: "kubernetes", release: "1.36", prefix: "/registry", recordsSecrets: false } as const;
  recorder = await ChangeRecorder.open({ ...of, file, logger: logger as never, clock: systemClock });
  return recorder.over(store);
}

const keyOf = (number: number): string => `core/configmaps/default/map-${number}`;
const value = (number: number): Buffer => Buffer.from(JSON.stringify({ number, data: "x".repeat(VALUE_BYTES) }));
const put = (recorded: Store, number: number) =>
  recorded.txn({ compare: [], then: [{ kind: "put", key: `/registry/${keyOf(number)}`, value: value(number) }] });

/** Lets the event loop turn, so that all that can go on does. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A reader of a FIFO, that reads when it is told to. */
class SlowDisk {
  private readonly descriptor: number;
  private readonly chunks: Buffer[] = [];

  constructor(path: string) {
    execFileSync("mkfifo", [path]);
    this.descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  }

  /** Reads what is there, without waiting. @returns whether the writer has closed the FIFO */
  read(): boolean {
    const buffer = Buffer.alloc(MIB);
    try {
      const count = readSync(this.descriptor, buffer);
      this.chunks.push(buffer.subarray(0, count));
      return count === 0;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return false;
      throw error;
    }
  }

  async readUntil(isEnough: () => boolean): Promise<void> {
    while (!isEnough()) {
      this.read();
      await turns(1);
    }
  }

  close(): void {
    closeSync(this.descriptor);
  }

  get keys(): readonly string[] {
    const lines = Buffer.concat(this.chunks).toString().trimEnd().split("\n");
    return lines
      .map((line) => JSON.parse(line) as { key?: string })
      .flatMap(({ key }) => (key === undefined ? [] : [key]));
  }
}

describe("a recording on a slow disk", () => {
  test("makes writes wait for the disk, keeps a bounded amount, and loses nothing", async () => {
    const disk = new SlowDisk(path);
    const recorded = await record(path);
    let answered = 0;
    const writing = (async () => {
      for (let number = 0; number < WRITES; number += 1) {
        await put(recorded, number);
        answered += 1;
      }
    })();
    let before = -1;
    while (answered !== before) {
      before = answered;
      await turns(200);
    }
    expect(answered).toBeGreaterThan(5);
    expect(answered).toBeLessThan(20);
    await disk.readUntil(() => answered === WRITES);
    await writing;
    let isClosed = false;
    const closing = recorder.close().then(() => {
      isClosed = true;
    });
    await disk.readUntil(() => isClosed);
    await closing;
    while (!disk.read());
    expect(disk.keys).toEqual(Array.from({ length: WRITES }, (_, number) => keyOf(number)));
    disk.close();
    expect(errors).toEqual([]);
  });

  test("makes many writes wait at once", async () => {
    const disk = new SlowDisk(path);
    const recorded = await record(path);
    const writing = Promise.all(Array.from({ length: WRITES }, (_, number) => put(recorded, number)));
    await turns(10);
    let isDone = false;
    const more = Promise.all(Array.from({ length: WRITES }, (_, number) => put(recorded, WRITES + number)));
    const ending = writing
      .then(() => more)
      .then(() => recorder.close())
      .then(() => {
        isDone = true;
      });
    await turns(10);
    await disk.readUntil(() => isDone);
    await ending;
    while (!disk.read());
    expect(new Set(disk.keys).size).toBe(2 * WRITES);
    expect(warnings).toEqual([]);
    disk.close();
  });

  test("ends when the disk fails: writes that wait are answered, and the stop succeeds", async () => {
    const disk = new SlowDisk(path);
    const recorded = await record(path);
    const writing = Promise.all(Array.from({ length: WRITES }, (_, number) => put(recorded, number)));
    await turns(10);
    const waiting = put(recorded, WRITES);
    const closing = writing.then(() => waiting).then(() => recorder.close());
    disk.close();
    await closing;
    expect(errors).toEqual([expect.stringContaining("EPIPE")]);
  });

  test("flushes what is waiting when the server stops while the disk fails", async () => {
    const disk = new SlowDisk(path);
    const recorded = await record(path);
    await put(recorded, 0);
    await turns(10);
    const closing = recorder.close();
    await turns(10);
    disk.close();
    await closing;
    expect(errors).toEqual([expect.stringContaining("EPIPE")]);
  });
});

/** A device of Linux on which there is never room. */
const FULL = "/dev/full";
if (!existsSync(FULL)) process.stderr.write(`skipped: recordings on a full disk: there is no ${FULL}\n`);
else
  test("a full disk ends the recording, and the server goes on", async () => {
    const recorded = await record(FULL);
    for (let number = 0; number < WRITES; number += 1) await put(recorded, number);
    await recorder.close();
    expect(errors).toEqual([expect.stringContaining("ENOSPC")]);
    expect((await store.range({ start: "/registry/", end: "/registry0" })).items).toHaveLength(WRITES);
  });

test("a file that cannot be written is refused at the start", async () => {
  await expect(record(join(folder, "none/changes"))).rejects.toThrow("--record: ENOENT");
  await expect(record(folder)).rejects.toThrow("--record: EISDIR");
});

test("a recording is replaced by the next one of the same name", async () => {
  for (const number of [1, 2]) {
    const recorded = await record(path);
    await put(recorded, number);
    await recorder.close();
  }
  const changes = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.includes('"change"'));
  expect(changes.map((line) => (JSON.parse(line) as { key: string }).key)).toEqual([keyOf(2)]);
});
