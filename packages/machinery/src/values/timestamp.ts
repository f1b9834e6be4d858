// Timestamps of objects: RFC 3339 in UTC with whole seconds.

/** Formats a timestamp: `2024-05-01T12:00:00Z`. Fractions of a second are dropped. */
export function timestamp(timeMs: number): string {
  const second = Math.floor(timeMs / 1000);
  // Caches the last text: a write formats the current time three times, and there are thousands of writes per second.
  if (second !== latest.second) latest = { second, text: `${new Date(timeMs).toISOString().slice(0, 19)}Z` };
  return latest.text;
}

let latest = { second: Number.NaN, text: "" };
