// Times as objects carry them: RFC 3339, UTC, in whole seconds.

/** `2024-05-01T12:00:00Z`. Part of a second is dropped. */
export function timestamp(timeMs: number): string {
  const second = Math.floor(timeMs / 1000);
  // A write asks for the time thrice, and there are thousands of writes a second.
  if (second !== latest.second) latest = { second, text: `${new Date(timeMs).toISOString().slice(0, 19)}Z` };
  return latest.text;
}

let latest = { second: Number.NaN, text: "" };
