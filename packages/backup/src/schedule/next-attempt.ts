// When the next attempt is due. The record is the same for all replicas; their clocks, and the clock of one replica at two
// times, may differ.
//
//   no backup yet                          now
//   the last one at 03:00, daily           tomorrow at 03:00; at once, and once, if that time has passed
//   it failed                              when the pause after the failure has passed
//   the record is of the future            now: the clock was wrong then, or is wrong now, and one more backup helps
import { type PauseGrowth, pauseMsAfter } from "@orch/platform";
import type { BackupRecord } from "./backup-record";
import type { BackupTimes } from "./backup-times";

/** Pauses after failures. */
const PAUSES: PauseGrowth = { firstMs: 10_000, maxMs: 600_000 };
/** Difference between the clocks of replicas that is not taken for a fault. */
const SKEW_MS = 60_000;

/** Returns the time of the next attempt; undefined when the schedule has no more times. */
export function nextAttemptMs(record: BackupRecord, times: BackupTimes, nowMs: number): number | undefined {
  const { succeededMs, failures, retryMs } = record;
  if (failures > 0) {
    const isPossible = retryMs !== undefined && retryMs <= nowMs + PAUSES.maxMs + SKEW_MS;
    return isPossible ? retryMs : nowMs;
  }
  if (succeededMs === undefined || succeededMs > nowMs + SKEW_MS) return nowMs;
  return times.after(succeededMs);
}

/** Returns the time of the attempt after a failure. @param failures number of failures, with this one */
export const retryMsAfter = (failures: number, nowMs: number): number => nowMs + pauseMsAfter(PAUSES, failures - 1);
