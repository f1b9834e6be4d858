const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns how long ago a time was, in the form of tables: `42s`, `5m10s`, `3h20m`, `12d`. Empty for an unknown time. */
export function ageOf(time: string | undefined, now: number): string {
  const at = time === undefined ? Number.NaN : Date.parse(time);
  if (Number.isNaN(at)) return "";
  const past = Math.max(0, now - at);
  if (past < 2 * MINUTE) return `${Math.floor(past / SECOND)}s`;
  if (past < 10 * MINUTE) return joined(past, [MINUTE, "m"], [SECOND, "s"]);
  if (past < 3 * HOUR) return `${Math.floor(past / MINUTE)}m`;
  if (past < 8 * HOUR) return joined(past, [HOUR, "h"], [MINUTE, "m"]);
  if (past < 2 * DAY) return `${Math.floor(past / HOUR)}h`;
  if (past < 8 * DAY) return joined(past, [DAY, "d"], [HOUR, "h"]);
  return `${Math.floor(past / DAY)}d`;
}

type Unit = readonly [milliseconds: number, name: string];

function joined(past: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((past % large) / small);
  return `${Math.floor(past / large)}${largeName}${rest === 0 ? "" : `${rest}${smallName}`}`;
}
