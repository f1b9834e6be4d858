// Durations as flags and queries spell them: `1h2m3s`, `300ms`, `1.5h`, bare `0`. In milliseconds on this side.
// Source: facts, flags.json "types".

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const WHOLE = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/;
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g;

/** @returns milliseconds, or undefined when the text is no duration */
export function parseDuration(text: string): number | undefined {
  if (/^[+-]?0$/.test(text)) return 0;
  if (!WHOLE.test(text)) return undefined;
  let sum = 0;
  for (const [, count, unit] of text.matchAll(PART)) sum += Number(count) * (UNIT_MS[unit ?? ""] ?? 0);
  return text.startsWith("-") ? -sum : sum;
}

/** The canonical text: `1m0s`, `34s`, `1h0m0s`, `500ms`, `0s`. */
export function durationText(milliseconds: number): string {
  if (milliseconds === 0) return "0s";
  if (milliseconds < 0) return `-${durationText(-milliseconds)}`;
  if (milliseconds < 1000) return `${milliseconds}ms`;
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const seconds = Number(((milliseconds % 60_000) / 1000).toFixed(3));
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
