// Programs with `--config FILE`.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { eventually } from "./harness/eventually";
import { freePort } from "./harness/free-port";
import { repository, useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const mainOf = (name: string) => join(repository, `packages/${name}/dist/main.js`);

function fileOf(lines: readonly string[]): string {
  const path = join(workplace.folder(), "orch.yaml");
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

test("a server starts with the flags of a file, and the command line wins", async () => {
  const [port, other] = [await freePort(), await freePort()];
  const file = fileOf([`data-dir: ${workplace.folder()}`, `secure-port: ${other}`, "logging-format: json"]);
  const args = [mainOf("standalone"), `--config=${file}`, `--secure-port=${port}`];
  const program = workplace.start({ name: "server", program: process.execPath, args });
  await eventually("the server is ready", async () => /ready/.test(program.logText()), { timeoutMs: 30_000 });
  expect(program.logText()).toContain(String(port));
  expect(program.logText()).not.toContain(String(other));
  expect(await program.stop()).toBe(0);
}, 60_000);

test("the number of workers may be in the file", async () => {
  const file = fileOf([`data-dir: ${workplace.folder()}`, "workers: 2"]);
  const { code, stderr } = await failing("standalone", file);
  expect(stderr).toMatch(/^error: --workers=2 with --store=embedded: only one process can use that store/);
  expect(code).toBe(1);
});

test.each(["apiserver-program", "controllers", "standalone"])(
  "the program of %s names the line of an error",
  async (name) => {
    const file = fileOf(["# flags", "logging-format: json", "secur-port: 1"]);
    const { code, stderr } = await failing(name, file);
    expect(stderr).toBe(`error: ${file}:3: unknown flag: secur-port; did you mean secure-port?\n`);
    expect(code).toBe(1);
  },
);

function failing(name: string, file: string): Promise<{ readonly code: number; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [mainOf(name), `--config=${file}`], (error, _, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stderr }),
    );
  });
}
