// Tests that each change of a file is reported once, and only after it was written completely.
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "@jest/globals";
import { watchFiles } from "./watched-files";

const folder = mkdtempSync(join(tmpdir(), "watched-files-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LOOKS = { everyMs: 20, settledMs: 20 };

function watched(file: string, looks = LOOKS) {
  const told = { times: 0 };
  const stop = watchFiles(
    [file],
    () => {
      told.times += 1;
    },
    looks,
  );
  const untilTold = async (times: number) => {
    while (told.times < times) await sleep(5);
    await sleep(10 * (looks.everyMs + looks.settledMs));
    expect(told.times).toBe(times);
  };
  return { told, stop, untilTold };
}

test("a change right after the start is told of once; so is one by a file that is renamed over it, and one that takes it away", async () => {
  const file = join(folder, "one");
  writeFileSync(file, "first");
  const { stop, untilTold } = watched(file);
  writeFileSync(file, "second, which is longer");
  await untilTold(1);
  writeFileSync(`${file}.new`, "third");
  renameSync(`${file}.new`, file);
  await untilTold(2);
  rmSync(file);
  await untilTold(3);
  writeFileSync(file, "fourth");
  await untilTold(4);
  stop();
});

test("a file is not reported while it is being written", async () => {
  const file = join(folder, "slowly");
  writeFileSync(file, "");
  const { told, stop, untilTold } = watched(file, { everyMs: 20, settledMs: 200 });
  for (let part = 0; part < 100; part += 1) {
    appendFileSync(file, "part\n");
    await sleep(10);
    expect(told.times).toBe(0);
  }
  await untilTold(1);
  stop();
});

test("a file that is never at rest is read all the same", async () => {
  const file = join(folder, "restless");
  writeFileSync(file, "");
  const { told, stop } = watched(file);
  const writing = setInterval(() => appendFileSync(file, "more\n"), 2);
  while (told.times < 2) await sleep(5);
  clearInterval(writing);
  stop();
});

test("no file is reported after the stop", async () => {
  const file = join(folder, "stopped");
  writeFileSync(file, "first");
  const { told, stop } = watched(file);
  writeFileSync(file, "second, which is longer");
  stop();
  await sleep(200);
  expect(told.times).toBe(0);
});
