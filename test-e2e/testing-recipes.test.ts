// The recipes for tests in other languages: the files of each page, in a project with the package of the test server.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { pageAt } from "./harness/documents";
import { tool } from "./harness/processes";
import { testServerTarball } from "./harness/test-server-tarball";

/** Class path of JUnit 5 with its console launcher. */
const JUNIT = process.env["ORCH_JUNIT"];
const JUNIT_LAUNCHER = "org.junit.platform.console.ConsoleLauncher";
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
    const [, name] = NAME.exec(text) ?? [];
    if (name !== undefined) writeFileSync(join(folder, name), text);
  }
  return folder;
}

test(
  "pytest runs the tests of the page about Python, each in a namespace of its own",
  () => {
    const folder = filesOf("docs/testing/python.md");
    expect(readdirSync(folder)).toEqual(["conftest.py", "test_menu.py"]);
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

const MENU_TEST = `
import static org.junit.jupiter.api.Assertions.assertTrue;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OrchServer.class)
class MenuTest {
  @Test
  void theServerListens() throws Exception {
    String text = Files.readString(OrchServer.kubeconfig());
    String url = text.replaceFirst("(?s).*(https://127[.]0[.]0[.]1:[0-9]+).*", "$1");
    new Socket("127.0.0.1", URI.create(url).getPort()).close();
    assertTrue(text.contains("client-key-data"));
  }
}
`;

if (JUNIT === undefined)
  process.stderr.write("skipped: the extension for JUnit: ORCH_JUNIT names no class path of JUnit\n");
else
  test(
    "JUnit runs a test with the extension of the page about Java, which leaves no file",
    () => {
      const folder = filesOf("docs/testing/java.md");
      writeFileSync(join(folder, "MenuTest.java"), MENU_TEST);
      const temporary = join(folder, "temporary");
      mkdirSync(temporary);
      const run = (command: string, ...words: readonly string[]) =>
        spawnSync(command, words, { cwd: folder, encoding: "utf8", env: { ...process.env, TMPDIR: temporary } });
      const sources = ["OrchServer.java", "MenuTest.java"];
      expect(run("javac", "-cp", JUNIT, "-d", "classes", ...sources)).toMatchObject({ status: 0 });
      const launch = ["-cp", `${JUNIT}:classes`, JUNIT_LAUNCHER, "--scan-classpath=classes"];
      const tested = run("java", `-Djava.io.tmpdir=${temporary}`, ...launch);
      expect(tested.stdout).toMatch(/1 tests successful/);
      expect(readdirSync(temporary)).toEqual([]);
    },
    TIMEOUT_MS,
  );
