// Supervises processes, as a service manager does. The output of each process goes to its own log file, and a process
// that exits is restarted after a second. Stopping sends SIGTERM, then SIGKILL after a timeout.
import { spawn } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { request as requestPlain } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const RESTART_DELAY_MS = 1000;
const STOP_TIMEOUT_MS = 15_000;
/** Number of exits of one process before the fleet is ready that makes the start fail. */
const ENDS_BEFORE_READY_MAX = 3;
const TAIL_LINES = 5;

/**
 * @param processes result of planFleet
 * @param report receives a line for every error, exit and restart
 * @returns `pids()`, the process ids by name; `stop()`, which stops all processes, dependent ones first; `begun()`, to
 *   be called when all are ready; and `failed`, which rejects with the last log lines of a process that exits
 *   repeatedly before that
 */
export function supervise(processes, { logs, report }) {
  const running = new Map();
  const ends = new Map();
  let stopping = false;
  let hasBegun = false;
  let fail = () => {};
  const failed = new Promise((_resolve, reject) => {
    fail = reject;
  });
  failed.catch(() => {});

  const start = (one) => {
    const log = openSync(join(logs, `${one.name}.log`), "a");
    const child = spawn(one.program, one.args, { stdio: ["ignore", log, log], env: { ...process.env, ...one.env } });
    running.set(one.name, child);
    child.once("error", (error) => report(`${one.name}: ${error.message}`));
    child.once("exit", async (code, signal) => {
      if (stopping) return;
      const count = (ends.get(one.name) ?? 0) + 1;
      ends.set(one.name, count);
      if (!hasBegun && count >= ENDS_BEFORE_READY_MAX) {
        const said = readFileSync(join(logs, `${one.name}.log`), "utf8")
          .trimEnd()
          .split("\n")
          .slice(-TAIL_LINES);
        fail(new Error(`${one.name} ended ${count} times before it was ready:\n${said.join("\n")}`));
        return;
      }
      report(`${one.name} ended (${signal ?? code}); starting it again. See ${join(logs, `${one.name}.log`)}`);
      await sleep(RESTART_DELAY_MS);
      if (!stopping) start(one);
    });
  };
  for (const one of processes) start(one);

  return {
    failed,
    begun() {
      hasBegun = true;
    },
    pids: () => Object.fromEntries([...running].map(([name, child]) => [name, child.pid])),
    async stop() {
      stopping = true;
      // Each kind stops before the processes that it depends on: the leader releases its lease through the load
      // balancer, and the API servers finish their requests.
      for (const kind of [/^controller-manager/, /^loadbalancer/, /^apiserver/, /./]) {
        const chosen = [...running].filter(([name]) => kind.test(name)).map(([, child]) => child);
        await Promise.all(chosen.map(end));
      }
    },
  };
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const killer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(killer);
}

/** Waits until `address` answers 200. @throws Error after `timeoutMs` */
export async function untilReady(address, { tls, timeoutMs }) {
  const deadline = performance.now() + timeoutMs;
  while ((await statusOf(address, tls)) !== 200) {
    if (performance.now() > deadline) throw new Error(`${address} did not become ready in ${timeoutMs / 1000} s`);
    await sleep(100);
  }
}

function statusOf(address, tls) {
  return new Promise((resolve) => {
    const ask = address.startsWith("https:") ? request : requestPlain;
    const asked = ask(address, { ...tls, agent: false, timeout: 2000 }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.once("timeout", () => asked.destroy());
    asked.once("error", () => resolve(undefined));
    asked.end();
  });
}
