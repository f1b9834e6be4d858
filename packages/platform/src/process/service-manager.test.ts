import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { answerWatchdog, reportReady, reportStopping } from "./service-manager";

const folder = mkdtempSync(join(tmpdir(), "orch-notify-"));
const reports = join(folder, "reports");
const path = process.env["PATH"];

/** Stands for the program of systemd: keeps what it is told. */
beforeAll(() => {
  const program = join(folder, "systemd-notify");
  writeFileSync(program, `#!/bin/sh\necho "$1" >> "${reports}"\n`);
  chmodSync(program, 0o755);
  process.env["PATH"] = `${folder}:${path}`;
});

afterAll(() => {
  process.env["PATH"] = path;
  rmSync(folder, { recursive: true, force: true });
});

const reported = () => (existsSync(reports) ? readFileSync(reports, "utf8").split("\n").slice(0, -1) : []);

async function untilReported(count: number): Promise<readonly string[]> {
  for (let attempt = 0; reported().length < count && attempt < 3000; attempt++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  return reported();
}

test("reports reach the service manager in their order, and signs of life only for the process it names", async () => {
  reportReady({});
  answerWatchdog({ NOTIFY_SOCKET: "/run/notify", WATCHDOG_USEC: "3000", WATCHDOG_PID: String(process.ppid) });
  reportReady({ NOTIFY_SOCKET: "/run/notify" });
  reportStopping({ NOTIFY_SOCKET: "/run/notify" });
  expect(await untilReported(2)).toEqual(["READY=1", "STOPPING=1"]);
  answerWatchdog({ NOTIFY_SOCKET: "/run/notify", WATCHDOG_USEC: "30000", WATCHDOG_PID: String(process.pid) });
  expect((await untilReported(4)).slice(2, 4)).toEqual(["WATCHDOG=1", "WATCHDOG=1"]);
});
