// Log of the requests of a command, for `-v 6`. Source: client-go/transport/round_trippers.go.
import { STATUS_CODES } from "node:http";
import type { ClientMetrics } from "@orch/client";
import type { Io } from "./io";

/** Shorter waits are not told. */
const LONG_SECONDS = 0.01;

/** Returns the observer of a client that writes a line per attempt, in the form of kubectl. */
export function requestLog({ stderr }: Io): ClientMetrics {
  const text = (seconds: number) => `milliseconds=${Math.round(seconds * 1000)}`;
  return {
    tried: ({ method, host, url }, code, seconds, path) => {
      const origin = url.slice(0, url.indexOf(host) + host.length);
      const status = `${code} ${STATUS_CODES[code] ?? ""}`.trimEnd();
      stderr.write(`"Response" verb="${method}" url="${origin}${path}" status="${status}" ${text(seconds)}\n`);
    },
    heldBack: ({ method, url }, seconds) => {
      if (seconds < LONG_SECONDS) return;
      stderr.write(`"Waited" verb="${method}" url="${url}" ${text(seconds)}\n`);
    },
  };
}
