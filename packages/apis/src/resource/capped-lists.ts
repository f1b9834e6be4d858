// Rules of lists and maps with a maximum size. A longer one is reported once: its items are not checked, which bounds
// the work. Source: validateSlice, validateSet and validateMap in pkg/apis/resource/validation/validation.go.
import { all, each, type Rule, unique } from "@orch/apis-model";

/** Checks at most `max` items. */
export function capped<T>(max: number, rule: Rule<readonly T[]>): Rule<readonly T[]> {
  return (list, at, report) => {
    if (list.length > max) report.tooMany(at, { count: list.length, max });
    else rule(list, at, report);
  };
}

/** Checks the items unless there are more than `max`, which declared rules of proto/ report. */
export const within =
  <T>(max: number, rule: Rule<readonly T[]>): Rule<readonly T[]> =>
  (list, at, report) => {
    if (list.length <= max) rule(list, at, report);
  };

export const cappedList = <T>(max: number, item: Rule<T>): Rule<readonly T[]> => capped(max, each(item));

/** Checks at most `max` items, which have distinct keys. */
export function cappedSet<T>(max: number, item: Rule<T>, keyOf: (item: T) => string): Rule<readonly T[]> {
  return capped(max, all(each(item), unique(keyOf)));
}

/** Checks at most `max` entries. Errors of keys are reported at the map. */
export function cappedMap<T>(
  max: number,
  key: Rule<string>,
  entry: Rule<T>,
): Rule<{ readonly [key: string]: T | undefined }> {
  return (map, at, report) => {
    const entries = Object.entries(map);
    if (entries.length > max) return report.tooMany(at, { count: entries.length, max });
    for (const [name, value] of entries) {
      key(name, at, report);
      if (value !== undefined) entry(value, at.key(shortened(name)), report);
    }
  };
}

const KEY_MAX_CHARACTERS = 96;

const shortened = (key: string): string =>
  key.length <= KEY_MAX_CHARACTERS
    ? key
    : `${key.slice(0, KEY_MAX_CHARACTERS / 2)}...${key.slice(-KEY_MAX_CHARACTERS / 2)}`;
