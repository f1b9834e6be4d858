import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { writeFileAtomically, writeFilesAtomically } from "./atomic-file";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "whole-file-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);

test("a failed write leaves the previous files and no partial ones", () => {
  writeFileSync(at("a"), "before");
  // Simulates a disk with room for only one of the files.
  mkdirSync(at("none"));
  const files = [at("a"), at("none/b/c")].map((file) => ({ file, text: "after", mode: 0o600 }));
  expect(() => writeFilesAtomically(files)).toThrow("ENOENT");
  expect(readFileSync(at("a"), "utf8")).toBe("before");
  expect(readdirSync(folder).sort()).toEqual(["a", "none"]);
});

test("an unchanged file is not written again", () => {
  writeFileAtomically(at("a"), "text", 0o600);
  const { ino } = statSync(at("a"));
  writeFileAtomically(at("a"), "text", 0o600);
  expect(statSync(at("a")).ino).toBe(ino);
});

test("unless others may read it who should not", () => {
  writeFileSync(at("a"), "text", { mode: 0o644 });
  writeFileAtomically(at("a"), "text", 0o600);
  expect(statSync(at("a")).mode & 0o777).toBe(0o600);
});
