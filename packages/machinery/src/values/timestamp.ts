// Timestamps of objects, RFC 3339 in UTC with whole seconds, and UTC dates in labels and ConfigMaps.

/** Formats a timestamp: `2024-05-01T12:00:00Z`. Fractions of a second are dropped. */
export function timestamp(timeMs: number): string {
  const second = Math.floor(timeMs / 1000);
  // Caches the last text: a write formats the current time three times, and there are thousands of writes per second.
  if (second !== latest.second) latest = { second, text: `${new Date(timeMs).toISOString().slice(0, 19)}Z` };
  return latest.text;
}

let latest = { second: Number.NaN, text: "" };

export const DAY_MS = 24 * 60 * 60_000;

/** Returns a date such as `2026-01-31`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const dayAfter = (ms: number): string => dayOf(ms + DAY_MS);

export function isDay(text: unknown): text is string {
  if (typeof text !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && dayOf(ms) === text;
}
