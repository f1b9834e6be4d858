import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { makeProcessFolder } from "./process-folder";

const KIND = "process-folder-test";
const { TMPDIR } = process.env;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "temporary-"));
  process.env["TMPDIR"] = folder;
});
afterEach(() => {
  if (TMPDIR === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = TMPDIR;
  rmSync(folder, { recursive: true, force: true });
});

/** Makes a folder as another process would. */
function folderOf(pid: number | undefined): string {
  const own = makeProcessFolder(KIND);
  const other = own.replace(`-${process.pid}-`, `-${pid}-`);
  mkdirSync(join(other, "pki"), { recursive: true });
  rmSync(own, { recursive: true });
  return other;
}

test("a folder is private, and several of one process are different", () => {
  const [one, other] = [makeProcessFolder(KIND), makeProcessFolder(KIND)];
  expect(one).not.toBe(other);
  expect(existsSync(one)).toBe(true);
  if (process.platform !== "win32") expect(statSync(one).mode & 0o777).toBe(0o700);
});

test("the folder of a process that was killed is removed by the next one; those of running processes stay", async () => {
  const child = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await once(child, "spawn");
  const abandoned = folderOf(child.pid);
  makeProcessFolder(KIND);
  expect(existsSync(abandoned)).toBe(true);
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  makeProcessFolder(KIND);
  expect(existsSync(abandoned)).toBe(false);
});

test("other folders, and those of other machines, stay", () => {
  const others = [`${KIND}-abcdef`, `${KIND}-00000000-1-abcdef`, `${KIND}-more`].map((name) => join(folder, name));
  for (const other of others) mkdirSync(other);
  makeProcessFolder(KIND);
  expect(others.map(existsSync)).toEqual([true, true, true]);
});
