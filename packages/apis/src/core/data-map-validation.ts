// What configuration maps and secrets have in common: keys, a bound on the size, and data that may be sealed.
// Source: facts, validation/core.md "ConfigMap, Secret".

import { eachEntry } from "../model/rules/rule";
import { type UpdateRule, unchanged } from "../model/rules/update-rule";
import { configKey } from "../values/format-rules";

/** Of all values together, keys not counted. */
export const DATA_MAX_BYTES = 1048576;

export const dataKeys = eachEntry<string>((key, _value, at, report) => configKey(key, at, report));

/** How many bytes a canonical base64 text stands for. */
export const base64Bytes = (text: string): number =>
  (text.length / 4) * 3 - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);

interface Sealable {
  readonly immutable?: boolean;
}

/** An object that was made immutable stays so, and its data too. */
export const sealed =
  <T extends Sealable>(...names: readonly (keyof T & string)[]): UpdateRule<T> =>
  (next, old, at, report) => {
    if (old.immutable !== true) return;
    if (next.immutable !== true) report.forbidden(at.field("immutable"), SEALED);
    for (const name of names) {
      if (!unchanged(next[name], old[name])) report.forbidden(at.field(name), SEALED);
    }
  };

const SEALED = "field is immutable when immutable is set";
