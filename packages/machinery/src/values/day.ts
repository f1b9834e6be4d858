// UTC dates in labels and ConfigMaps.

export const DAY_MS = 24 * 60 * 60_000;

/** Returns a date such as `2026-01-31`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const dayAfter = (ms: number): string => dayOf(ms + DAY_MS);

export function isDay(text: unknown): text is string {
  if (typeof text !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && dayOf(ms) === text;
}
