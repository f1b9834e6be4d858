import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { makeFolder } from "./make-folder";

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "make-folder-"));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

test("makes a folder and all above it, and is content with one that is there", () => {
  const path = join(top, "a/b/c");
  makeFolder(path, 0o700);
  makeFolder(path, 0o700);
  for (const each of ["a", "a/b", "a/b/c"]) expect(statSync(join(top, each)).mode & 0o777).toBe(0o700);
});

test("fails where a file is in the way", () => {
  writeFileSync(join(top, "file"), "");
  expect(() => makeFolder(join(top, "file"))).toThrow("EEXIST");
  expect(() => makeFolder(join(top, "file/below"))).toThrow("ENOTDIR");
});

test("fails at once on a file system that takes no entries", () => {
  expect(() => makeFolder("/proc/no-such-folder")).toThrow("ENOENT");
  expect(() => makeFolder("/proc/no-such-folder/below")).toThrow("ENOENT");
});
