const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns how long ago a time was, in the form of tables: `42s`, `5m10s`, `3h20m`, `12d`. Empty for an unknown time. */
export function ageOf(time: string | undefined, now: number): string {
  const at = time === undefined ? Number.NaN : Date.parse(time);
  if (Number.isNaN(at)) return "";
  return durationText(Math.max(0, now - at));
}

/** Returns how long it is until a time, in the same form. Empty for a time that is past or unknown. */
export function timeUntil(time: string | undefined, now: number): string {
  const at = time === undefined ? Number.NaN : Date.parse(time);
  return at > now ? durationText(at - now) : "";
}

function durationText(milliseconds: number): string {
  if (milliseconds < 2 * MINUTE) return `${Math.floor(milliseconds / SECOND)}s`;
  if (milliseconds < 10 * MINUTE) return joined(milliseconds, [MINUTE, "m"], [SECOND, "s"]);
  if (milliseconds < 3 * HOUR) return `${Math.floor(milliseconds / MINUTE)}m`;
  if (milliseconds < 8 * HOUR) return joined(milliseconds, [HOUR, "h"], [MINUTE, "m"]);
  if (milliseconds < 2 * DAY) return `${Math.floor(milliseconds / HOUR)}h`;
  if (milliseconds < 8 * DAY) return joined(milliseconds, [DAY, "d"], [HOUR, "h"]);
  return `${Math.floor(milliseconds / DAY)}d`;
}

type Unit = readonly [milliseconds: number, name: string];

function joined(past: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((past % large) / small);
  return `${Math.floor(past / large)}${largeName}${rest === 0 ? "" : `${rest}${smallName}`}`;
}
