// The size of the built console, compressed as the server sends it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";

const DIST = join(__dirname, "../dist");
const MAX_BYTES = 300 * 1000;

describe("the built console", () => {
  const files = readdirSync(DIST, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

  test("has less than 300 KB in all its files, compressed", () => {
    const sizes = files.map((entry) => gzipSync(readFileSync(join(entry.parentPath, entry.name))).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
  });

  test("has hashes in the names of all files but the page", () => {
    const names = files.map((entry) => entry.name).filter((name) => name !== "index.html");
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) expect(name).toMatch(/-[\w-]{8}\.(js|css)$/);
  });

  test("has no inline script, no inline style and no address of another host in its page", () => {
    const page = readFileSync(join(DIST, "index.html"), "utf8");
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|https?:/);
    expect(page.match(/<script[^>]*>/g)).toEqual([expect.stringMatching(/ src="\/ui\//)]);
  });
});
