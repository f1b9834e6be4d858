// Decides about a service account token Secret, based on its labels for the last use. Days are in UTC, as in the
// labels.
import { DAY_MS, dayOf, isDay, metaOf } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";

export type TokenAction =
  | "keep"
  /** The token is no longer accepted, until the label is removed. */
  | "markInvalid"
  | "delete";

export interface TokenTimes {
  readonly nowMs: number;
  /** Period without a use. */
  readonly periodMs: number;
}

/** @param secret a service account token Secret; references to it are not checked here */
export function tokenAction(
  secret: JsonObject,
  { nowMs, periodMs }: TokenTimes,
  { labels: keys }: Vocabulary,
): TokenAction {
  const { creationTimestamp, deletionTimestamp, labels = {} } = metaOf(secret);
  const madeMs = Date.parse(creationTimestamp ?? "");
  const before = nowMs - periodMs;
  if (deletionTimestamp != null || !(madeMs < before)) return "keep";
  const lastUsed = labels[keys.legacyTokenLastUsed];
  // The time of the last use is not readable.
  if (lastUsed !== undefined && !isDay(lastUsed)) return "keep";
  const firstDay = dayOf(before);
  if (lastUsed !== undefined && lastUsed >= firstDay) return "keep";
  const invalidSince = labels[keys.legacyTokenInvalidSince];
  if (invalidSince === undefined || !isDay(invalidSince)) return "markInvalid";
  return invalidSince >= firstDay ? "keep" : "delete";
}

/** @param since the day on which the server started to track uses; uses on that day may not have been recorded */
export function isFollowedLongEnough(since: unknown, { nowMs, periodMs }: TokenTimes): boolean {
  return isDay(since) && nowMs >= Date.parse(since) + DAY_MS + periodMs;
}
