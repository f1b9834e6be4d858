// Parts of timestamps and durations. Source: github.com/google/cel-spec, doc/langdef.md, "Standard Definitions".
import { CONSTANT } from "../cost/cost-model";
import type { Duration, Timestamp } from "../values/cel-value";
import type { Steps } from "../values/equality";
import { localDate } from "../values/time-value";
import { method, type Overload, payOnce } from "./overload";

const DAY_MS = 86_400_000;
const dayOfYear = (date: Date): number => {
  const first = new Date(date);
  first.setUTCMonth(0, 1);
  return Math.round((date.getTime() - first.getTime()) / DAY_MS);
};

const PARTS: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDayOfYear: dayOfYear,
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDate: (date) => date.getUTCDate(),
  getDayOfWeek: (date) => date.getUTCDay(),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

/** Work of a lookup in the time zone database, and of the first lookup of a zone. */
const ZONE_STEPS = 100;
const NEW_ZONE_STEPS = 2000;
const MS = 1_000_000n;
const DURATION_PARTS: Readonly<Record<string, (nanos: bigint) => bigint>> = {
  getHours: (nanos) => nanos / (3_600_000n * MS),
  getMinutes: (nanos) => nanos / (60_000n * MS),
  getSeconds: (nanos) => nanos / (1000n * MS),
  getMilliseconds: (nanos) => (nanos / MS) % 1000n,
};

export const TIMES: readonly Overload[] = [
  ...Object.entries(PARTS).flatMap(([name, part]) => [
    method(`timestamp.${name}(): int`, CONSTANT, (time: Timestamp) => BigInt(part(localDate(time, "UTC")))),
    method(`timestamp.${name}(string): int`, CONSTANT, (time: Timestamp, zone: string, steps: Steps) => {
      steps.step(ZONE_STEPS);
      payOnce(steps, `zone ${zone}`, NEW_ZONE_STEPS);
      return BigInt(part(localDate(time, zone)));
    }),
  ]),
  ...Object.entries(DURATION_PARTS).map(([name, part]) =>
    method(`duration.${name}(): int`, CONSTANT, (value: Duration) => part(value.nanos)),
  ),
];
