// Log of the requests of a command, for `-v 6`.
import type { ClientMetrics } from "@orch/client";
import type { Io } from "./io";

/** Returns the observer of a client that writes a line per attempt, without names of objects and without queries. */
export function requestLog({ stderr }: Io): ClientMetrics {
  const text = (seconds: number) => `${Math.round(seconds * 1000)} ms`;
  return {
    tried: ({ method, url }, code, seconds) => stderr.write(`${method} ${url} ${code} in ${text(seconds)}\n`),
    heldBack: ({ method, url }, seconds) => stderr.write(`${method} ${url} waited ${text(seconds)}\n`),
  };
}
