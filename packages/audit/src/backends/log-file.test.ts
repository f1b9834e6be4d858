import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { systemClock } from "@orch/platform";
import { cleanBackups, freeBackupName } from "./log-backups";
import { type Alone, LogFile, type LogFileOptions } from "./log-file";

let folder: string;
let failures: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orch-audit-"));
  failures = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Milliseconds that a busy machine may take to write what waits. */
const PATIENT_MS = 30_000;

const text = (line: string) => ({ pieces: [line], bytes: line.length });

function logFile(options: Partial<LogFileOptions> = {}, alone?: Alone): LogFile {
  const path = join(folder, "audit.log");
  const rules = { maxBytes: 1e6, maxAgeDays: 0, maxBackups: 0, compress: false };
  return new LogFile(
    { path, ...rules, ...options },
    {
      clock: systemClock,
      alone,
      failed: (_error, events) => {
        failures += events;
      },
      disturbed: () => {},
    },
  );
}

test("each event is one line, in the order in which they came, bodies and all", async () => {
  const file = logFile();
  await file.open();
  file.write(text("one"));
  file.write({ pieces: ["two ", Buffer.from("body"), " end"], bytes: 12 });
  await file.written(text("three"));
  expect(readFileSync(join(folder, "audit.log"), "utf8")).toBe("one\ntwo body end\nthree\n");
  file.write(text("last"));
  expect(await file.close(PATIENT_MS)).toBe(0);
  expect(readFileSync(join(folder, "audit.log"), "utf8")).toMatch(/three\nlast\n$/);
});

test("texts that are known to be ASCII stand between others, and fill what is theirs", async () => {
  const file = logFile({ maxBytes: 64 });
  await file.open();
  file.write({ ...text("plain".repeat(12)), isAscii: true });
  file.write({ pieces: ["größer", Buffer.from("名"), "é"], bytes: 10, isAscii: false });
  await file.written({ ...text("last"), isAscii: true });
  await file.close(1000);
  const contents = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  expect(contents.sort()).toEqual([`größer名é\nlast\n`, `${"plain".repeat(12)}\n`]);
});

test("a file that has its size is set aside, and no event is torn or lost", async () => {
  const file = logFile({ maxBytes: 100 });
  await file.open();
  for (let at = 0; at < 20; at += 1) file.write(text(`${at}`.padStart(40, "x")));
  expect(await file.close(PATIENT_MS)).toBe(0);
  const files = readdirSync(folder).sort();
  expect(files.length).toBeGreaterThanOrEqual(10);
  const lines = files.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean));
  expect(lines.map((line) => Number(line.replaceAll("x", ""))).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, at) => at),
  );
});

test("a path that is not a regular file is written to and never rotated", async () => {
  symlinkSync("/dev/null", join(folder, "audit.log"));
  const file = logFile({ maxBytes: 100 });
  await file.open();
  for (let at = 0; at < 20; at += 1) await file.written(text(`${at}`.padStart(40, "x")));
  expect(await file.close(PATIENT_MS)).toBe(0);
  expect(readdirSync(folder)).toEqual(["audit.log"]);
});

test("several may write to one file in turn, which one of them sets aside", async () => {
  let turn: Promise<unknown> = Promise.resolve();
  const alone: Alone = (_at, work) => {
    const mine = turn.then(work);
    turn = mine.catch(() => {});
    return mine;
  };
  const writers = [0, 1, 2].map(() => logFile({ maxBytes: 200 }, alone));
  for (const writer of writers) await writer.open();
  for (let at = 0; at < 30; at += 1) await writers[at % 3]?.written(text(`${at}`.padStart(40, "x")));
  for (const writer of writers) expect(await writer.close(PATIENT_MS)).toBe(0);
  const contents = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  // Four events per file, however they were written.
  expect(contents.map((content) => content.length).sort((a, b) => a - b)).toEqual([82, ...Array(7).fill(164)]);
  const lines = contents.flatMap((content) => content.split("\n").filter(Boolean));
  expect(lines.map((line) => Number(line.replaceAll("x", ""))).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 30 }, (_, at) => at),
  );
});

test("a waiting request receives the write error of its event", async () => {
  const file = logFile({ path: join(folder, "file", "audit.log") });
  writeFileSync(join(folder, "file"), "no folder");
  await expect(file.open()).rejects.toThrow();
  await expect(file.written(text("one"))).rejects.toThrow();
  expect(failures).toBe(1);
  // After the path is repaired: a refused event may be in the file, and no event is lost.
  rmSync(join(folder, "file"));
  await file.close(5000);
  expect(readFileSync(join(folder, "file", "audit.log"), "utf8")).toBe("one\n");
});

test("the buffer of unwritten events is bounded", async () => {
  const file = logFile();
  await file.open();
  const large = { pieces: ["x"], bytes: 30 * 1024 * 1024 };
  file.write(large);
  file.write(large);
  expect(() => file.write(large)).toThrow("the disk is too slow: the buffer of audit events is full");
  await file.close(1000);
});

test("backups that are too many or too old are deleted, the rest compressed; other files are left alone", async () => {
  const path = join(folder, "audit.log");
  const names = ["2030-01-01T00-00-00.000", "2030-01-05T00-00-00.000", "2030-01-06T00-00-00.000"];
  for (const name of names) writeFileSync(join(folder, `audit-${name}.log`), name);
  for (const name of ["audit-notes.log", "audit.log", "other-2030-01-01T00-00-00.000.log"]) {
    writeFileSync(join(folder, name), "mine");
  }
  const now = Date.UTC(2030, 0, 7);
  await cleanBackups(path, { maxAgeDays: 5, maxBackups: 0, compress: true }, now);
  const others = ["audit-notes.log", "audit.log", "other-2030-01-01T00-00-00.000.log"];
  expect(readdirSync(folder).sort()).toEqual(
    ["audit-2030-01-05T00-00-00.000.log.gz", "audit-2030-01-06T00-00-00.000.log.gz", ...others].sort(),
  );
  await cleanBackups(path, { maxAgeDays: 0, maxBackups: 1, compress: true }, now);
  expect(readdirSync(folder).sort()).toEqual(["audit-2030-01-06T00-00-00.000.log.gz", ...others].sort());
  expect(await freeBackupName(path, Date.UTC(2030, 0, 6))).toBe(join(folder, "audit-2030-01-06T00-00-00.001.log"));
});
