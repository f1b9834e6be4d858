// Expiry of an object, which annotations of its metadata state: a time, or a time to live since its creation. Source:
// docs/controllers.md, "Objects that expire".
import { parseDuration, parseTime } from "@orch/schema";
import * as field from "../errors/field-error";
import type { ObjectMeta } from "../objects/object-meta";

/** Keys of the annotations in the vocabulary of the server. */
export interface ExpiryAnnotations {
  /** Time, RFC 3339. */
  readonly expiresAt: string;
  /** Duration since the creation, as "90m" or "720h". */
  readonly ttl: string;
}

/**
 * Returns the time at which the object expires in milliseconds since 1970. The earlier one applies when both annotations
 * are set. Undefined: the object does not expire, or the annotations are invalid.
 */
export function expiryMsOf(
  { annotations, creationTimestamp }: ObjectMeta,
  keys: ExpiryAnnotations,
): number | undefined {
  if (annotations === undefined) return undefined;
  const [at, ttl] = [annotations[keys.expiresAt], annotations[keys.ttl]];
  if (at === undefined && ttl === undefined) return undefined;
  const createdMs = parseTime(creationTimestamp ?? "");
  const ttlMs = ttl === undefined ? undefined : timeToLiveMs(ttl);
  const times = [
    at === undefined ? undefined : parseTime(at),
    ttlMs === undefined || createdMs === undefined ? undefined : createdMs + ttlMs,
  ].filter((ms) => ms !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Returns whether the objects differ in their expiry annotations. */
export const changesExpiry = (before: ObjectMeta, after: ObjectMeta, keys: ExpiryAnnotations): boolean =>
  [keys.expiresAt, keys.ttl].some((key) => before.annotations?.[key] !== after.annotations?.[key]);

/** Checks the form of the annotations. */
export function expiryErrors({ annotations }: ObjectMeta, keys: ExpiryAnnotations): readonly field.FieldError[] {
  const errors: field.FieldError[] = [];
  const [at, ttl] = [annotations?.[keys.expiresAt], annotations?.[keys.ttl]];
  if (at !== undefined && parseTime(at) === undefined) {
    const rule = 'must be a time of RFC 3339, such as "2030-01-02T15:04:05Z"';
    errors.push(field.invalid(`metadata.annotations[${keys.expiresAt}]`, at, rule));
  }
  if (ttl !== undefined && timeToLiveMs(ttl) === undefined) {
    const rule = 'must be a positive duration, such as "90m" or "720h", of at most 292 years';
    errors.push(field.invalid(`metadata.annotations[${keys.ttl}]`, ttl, rule));
  }
  return errors;
}

function timeToLiveMs(text: string): number | undefined {
  const nanos = parseDuration(text);
  return nanos === undefined || nanos <= 0n ? undefined : Number(nanos) / 1e6;
}
