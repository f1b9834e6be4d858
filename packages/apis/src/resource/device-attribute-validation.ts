// Rules of the attributes of devices. Source: validateDeviceAttribute in pkg/apis/resource/validation/validation.go.
import { each, fields, isExact, type Rule } from "@orch/apis-model";
import type { resourceV1 } from "@orch/schema";

type Attribute = resourceV1.DeviceAttribute;

const TEXT_MAX_BYTES = 64;

/** Matches a version of semver.org 2.0.0. */
const VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

const VERSION_START = /^\d+\.\d+\.\d/;
const NOT_A_VERSION = "must be a string compatible with semver.org spec 2.0.0";

const shortText: Rule<string> = (text, at, report) => {
  if (Buffer.byteLength(text) > TEXT_MAX_BYTES) report.tooLong(at, TEXT_MAX_BYTES);
};

/** A text that is too long is not matched: the pattern's time grows with its square. */
const version: Rule<string> = (text, at, report) => {
  if (text.length > TEXT_MAX_BYTES) {
    report.tooLong(at, TEXT_MAX_BYTES);
    if (isExact(report) && !VERSION_START.test(text)) report.invalid(at, text, NOT_A_VERSION);
  } else if (!VERSION.test(text)) report.invalid(at, text, NOT_A_VERSION);
};

/** Empty lists are not encoded, so that they count as absent. */
const values = fields<Attribute>({
  string: shortText,
  version,
  strings: each(shortText),
  versions: each(version),
});

const KINDS = ["int", "bool", "string", "version", "ints", "bools", "strings", "versions"] as const;
const LISTS = ["ints", "bools", "strings", "versions"] as const;

const isSet = (attribute: Attribute) => (kind: (typeof KINDS)[number]) => attribute[kind] !== undefined;

export const deviceAttribute: Rule<Attribute> = (attribute, at, report) => {
  values(attribute, at, report);
  const count = KINDS.filter(isSet(attribute)).length;
  if (count !== 1) report.invalid(at, count === 0 ? "" : attribute, "exactly one value must be specified");
};

export const hasList = (attribute: Attribute): boolean => LISTS.some(isSet(attribute));

/** Returns the number of values; 1 unless there are lists. */
export function countValues(attribute: Attribute): number {
  const count = LISTS.reduce((sum, kind) => sum + (attribute[kind]?.length ?? 0), 0);
  return count === 0 ? 1 : count;
}
