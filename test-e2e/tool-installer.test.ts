import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { repository } from "./harness/processes";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tools-"));
  cpSync(join(repository, "scripts"), join(root, "scripts"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const installed = (name: string, version: string) =>
  `Package: ${name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: ${version}\nMaintainer: nobody\nDescription: none\n\n`;

test("a tool works although dpkg lists a package as installed whose files the machine lacks", () => {
  writeFileSync(join(root, "status"), installed("liblua5.3-0", "9999"));
  writeFileSync(join(root, "apt.conf"), `Dir::State::status "${join(root, "status")}";\n`);

  const run = spawnSync(process.execPath, [join(root, "scripts/install-tools.mjs"), "haproxy"], {
    encoding: "utf8",
    env: { ...process.env, APT_CONFIG: join(root, "apt.conf") },
  });

  expect(run).toMatchObject({ status: 0 });
  const version = spawnSync(join(root, ".tools/bin/haproxy"), ["-v"], { encoding: "utf8" });
  expect(version.stdout).toMatch(/HAProxy version \d/i);
}, 300_000);
