// Runs a command to its end.
import { spawnSync } from "node:child_process";

const TIMEOUT_MS = 120_000;
const TAIL_LINES = 6;

/** @returns `{ output, failure }`: what it printed, and why it failed, when it did */
export function run(program, args, options = {}) {
  const result = spawnSync(program, args, {
    encoding: "utf8",
    timeout: TIMEOUT_MS,
    maxBuffer: 64 * 1024 * 1024,
    ...options,
    env: { ...(options.env ?? process.env), LC_ALL: "C" },
  });
  return { output: result.stdout ?? "", failure: commandFailure(program, result) };
}

/** @returns why a command failed; undefined when it did not */
export function commandFailure(name, { status, signal, error, stdout, stderr }) {
  if (error?.code === "ENOENT") return `${name} is not installed on this machine`;
  if (error !== undefined) return `${name}: ${error.message}`;
  if (status === 0) return undefined;
  const tail = `${stdout}${stderr}`.trim().split("\n").slice(-TAIL_LINES).join("\n");
  return `${name} ends with ${signal ?? status}: ${tail}`;
}
