// Reports the state of a program to the service manager that started it (sd_notify of systemd), and answers its watchdog.
//
// The protocol is datagrams on a Unix socket, which Node.js cannot send. `systemd-notify` sends them, started by a shell that
// lives as long as the program: a start from the program itself would copy its page tables at each report. A unit therefore
// needs NotifyAccess=all.
import type { Writable } from "node:stream";

/** Variables of the environment with which the service manager asks for reports. */
interface Environment {
  readonly NOTIFY_SOCKET?: string | undefined;
  /** Time in microseconds after which a program without a sign of life is killed. */
  readonly WATCHDOG_USEC?: string | undefined;
  /** Process that has to answer the watchdog. */
  readonly WATCHDOG_PID?: string | undefined;
}

/** Sends each line of its input, and ends with the program. Signals for all processes of the unit do not end it. */
const REPORTER = `trap "" HUP INT TERM USR1 USR2; while read -r state; do systemd-notify "$state" || exit; done`;
/** Signs of life in the time of the watchdog. */
const SIGNS = 3;

let reporter: Writable | undefined;

/** Reports that the program serves. Does nothing without a service manager. */
export function reportReady(environment: Environment = process.env): void {
  report("READY=1", environment);
}

/** Reports that the shutdown has begun. */
export function reportStopping(environment: Environment = process.env): void {
  report("STOPPING=1", environment);
}

/** Sends signs of life while the event loop turns, when the service manager expects them of this process. */
export function answerWatchdog(environment: Environment = process.env): void {
  const intervalMs = Math.floor(Number(environment.WATCHDOG_USEC) / 1000 / SIGNS);
  if (!(intervalMs > 0) || environment.WATCHDOG_PID !== String(process.pid)) return;
  setInterval(() => report("WATCHDOG=1", environment), intervalMs).unref();
}

function report(state: string, { NOTIFY_SOCKET }: Environment): void {
  if (NOTIFY_SOCKET === undefined || NOTIFY_SOCKET === "") return;
  reporter ??= startReporter();
  if (reporter.writable) reporter.write(`${state}\n`);
}

function startReporter(): Writable {
  const { spawn } = require("node:child_process") as typeof import("node:child_process");
  // A process group of its own: signals of a terminal are meant for the program.
  const stdio = ["pipe", "ignore", "inherit"] as const;
  const child = spawn("/bin/sh", ["-c", REPORTER], { stdio: [...stdio], detached: true, env: process.env });
  // Without a shell, the service manager reports the missing state itself.
  child.on("error", () => {});
  // A shell that was killed is replaced with the next report.
  child.on("exit", () => {
    reporter = undefined;
  });
  child.stdin.on("error", () => {});
  child.unref();
  (child.stdin as Writable & { unref?(): void }).unref?.();
  return child.stdin;
}
