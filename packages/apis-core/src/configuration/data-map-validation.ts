// Rules that config maps and secrets share: keys, maximum size, and immutable data. Source:
// pkg/apis/core/validation/validation.go.

import { configKey, eachEntry, type UpdateRule, unchanged } from "@orch/apis-model";

/** Maximum size of all values together, without keys. */
export const DATA_MAX_BYTES = 1048576;

export const dataKeys = eachEntry<string>((key, _value, at, report) => configKey(key, at, report));

/** Returns the decoded size of a canonical base64 text. */
export const base64Bytes = (text: string): number =>
  (text.length / 4) * 3 - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);

interface Sealable {
  readonly immutable?: boolean;
}

/** Requires that an immutable object and its data stay unchanged. */
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
