// The share of one worker in limits that are set for the whole group. Limits are divided in advance, so that no request
// needs communication between processes. A client with many connections has them on all workers, and so the whole
// limit.
import type { WorkerIdentity } from "@orch/platform";
import type { ServerConfig } from "../flags/server-flags";

const DIVIDED = [
  "max-requests-inflight",
  "max-mutating-requests-inflight",
  "max-connections",
  "max-connections-per-address",
] as const satisfies readonly (keyof ServerConfig)[];

/** The first workers get the remainder. 0 means no limit; no share of a limit is below 1. */
export function ownShare(
  config: ServerConfig,
  { number, count }: Pick<WorkerIdentity, "number" | "count">,
): ServerConfig {
  const shares = DIVIDED.map((option) => {
    const whole = config[option];
    const share = Math.floor(whole / count) + (number <= whole % count ? 1 : 0);
    return [option, whole === 0 ? 0 : Math.max(share, 1)] as const;
  });
  return { ...config, ...Object.fromEntries(shares) };
}
