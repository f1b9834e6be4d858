// What one worker has of the limits that are set for the whole. They are divided, and not lent: a limit then holds without a word between
// processes on any request's way, and whoever holds many connections has them at all workers, and so all of the limit.
import type { WorkerSeat } from "@orch/platform";
import type { ServerConfig } from "../flags/server-flags";

const DIVIDED = [
  "max-requests-inflight",
  "max-mutating-requests-inflight",
  "max-connections",
  "max-connections-per-address",
] as const satisfies readonly (keyof ServerConfig)[];

/** The first workers have what cannot be divided. 0 says that there is no limit, so nobody has less than 1 of one. */
export function ownShare(config: ServerConfig, { number, count }: Pick<WorkerSeat, "number" | "count">): ServerConfig {
  const shares = DIVIDED.map((option) => {
    const whole = config[option];
    const share = Math.floor(whole / count) + (number <= whole % count ? 1 : 0);
    return [option, whole === 0 ? 0 : Math.max(share, 1)] as const;
  });
  return { ...config, ...Object.fromEntries(shares) };
}
