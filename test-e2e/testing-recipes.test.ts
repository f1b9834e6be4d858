// The recipes for tests in other languages: the files of each page, in a project with the package of the test server.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { pageAt } from "./harness/documents";
import { tool } from "./harness/processes";
import { testServerTarball } from "./harness/test-server-tarball";

const TIMEOUT_MS = 240_000;
const NAME = /^(?:\/\/|#) (\S+)\n/;

let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "recipes-"));
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "recipes", private: true }));
  const install = ["install", "--offline", "--no-audit", "--no-fund", testServerTarball()];
  expect(spawnSync("npm", install, { cwd: project, encoding: "utf8" })).toMatchObject({ status: 0 });
}, TIMEOUT_MS);
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Writes the files of a page. @returns the folder */
function filesOf(page: string): string {
  const folder = join(project, page.replaceAll("/", "-"));
  mkdirSync(folder);
  for (const { text } of pageAt(page).blocks) {
    const [, name = ""] = NAME.exec(text) ?? [];
    expect(name).not.toBe("");
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

test(
  "pytest runs the tests of the page about Python, each in a namespace of its own",
  () => {
    const folder = filesOf("docs/testing/python.md");
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };
    const words = ["-m", "pytest", "-p", "no:cacheprovider", folder];
    const tested = spawnSync(tool("python3-kubernetes"), words, { cwd: project, encoding: "utf8", env });
    expect(tested.stdout + tested.stderr).toContain("2 passed");
    expect(tested.status).toBe(0);
  },
  TIMEOUT_MS,
);

test("the fixture of the page about Python is short", () => {
  const [fixture] = pageAt("docs/testing/python.md").blocks;
  expect(fixture?.text.trim().split("\n").length).toBeLessThanOrEqual(40);
});
