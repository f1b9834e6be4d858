// What becomes of a secret with a service account's token, by what it says of its use. Days are those of UTC, as labels have them.
import { DAY_MS, dayOf, isDay, metaOf } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";

export type TokenFate =
  | "keep"
  /** From then on it is not accepted, until somebody takes the mark off. */
  | "markInvalid"
  | "delete";

export interface TokenTimes {
  readonly nowMs: number;
  /** Without a use. */
  readonly periodMs: number;
}

/** @param secret of the type that keeps tokens. Whether anything refers to it is another question. */
export function tokenFate(
  secret: JsonObject,
  { nowMs, periodMs }: TokenTimes,
  { labels: keys }: Vocabulary,
): TokenFate {
  const { creationTimestamp, deletionTimestamp, labels = {} } = metaOf(secret);
  const madeMs = Date.parse(creationTimestamp ?? "");
  const before = nowMs - periodMs;
  if (deletionTimestamp != null || !(madeMs < before)) return "keep";
  const lastUsed = labels[keys.legacyTokenLastUsed];
  // Nobody knows when that was.
  if (lastUsed !== undefined && !isDay(lastUsed)) return "keep";
  const firstDay = dayOf(before);
  if (lastUsed !== undefined && lastUsed >= firstDay) return "keep";
  const invalidSince = labels[keys.legacyTokenInvalidSince];
  if (invalidSince === undefined || !isDay(invalidSince)) return "markInvalid";
  return invalidSince >= firstDay ? "keep" : "delete";
}

/** @param since as the server has noted the day on which it began to follow uses: what was used on it may not have been seen */
export function isFollowedLongEnough(since: unknown, { nowMs, periodMs }: TokenTimes): boolean {
  return isDay(since) && nowMs >= Date.parse(since) + DAY_MS + periodMs;
}
