// Versions of a custom resource: names, storage version and deprecation warnings. Source:
// staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.

import { absentAs, all, each, fields, label1035, type Rule, required, sameValue } from "@orch/apis-model";
import type { apiextensionsV1beta1, JsonValue } from "@orch/schema";
import {
  type Definition,
  isGiven,
  type Part,
  partsOf,
  SHARED,
  SPEC,
  type Version,
  versionsOf,
} from "./definition-parts";
import { isV1 } from "./definition-schemas-validation";

const WARNING_MAX_BYTES = 256;

const deprecation: Rule<Version> = ({ deprecated, deprecationWarning: warning }, at, report) => {
  if (warning === undefined) return;
  const place = at.field("deprecationWarning");
  if (deprecated !== true) report.invalid(place, warning, "can only be set for deprecated versions");
  if (warning === "") report.invalid(place, warning, "must be non-empty");
  if (Buffer.byteLength(warning) > WARNING_MAX_BYTES) {
    report.invalid(place, warning, `must be <= ${WARNING_MAX_BYTES} bytes in size`);
  }
  // Control characters and unassigned code points cannot be sent in a header.
  if (/[\p{C}\u2028\u2029]/u.test(warning)) report.invalid(place, warning, "must only contain printable characters");
};

const version: Rule<Version> = all<Version>(fields<Version>({ name: absentAs<string>("", label1035) }), deprecation);

const eachVersion = each(version);

export const definitionVersions: Rule<Definition> = (definition, _at, report) => {
  const versions = versionsOf(definition);
  const place = SPEC.field("versions");
  eachVersion(versions, place, report);
  // The deprecated field spec.version repeats the name of the first version, and its errors.
  const [first] = definition.spec.versions ?? [];
  if (isV1(report) && first !== undefined && first.name !== "") label1035(first.name, SPEC.field("version"), report);
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length) report.invalid(place, names, "must contain unique version names");
  if (versions.filter(({ storage }) => storage).length !== 1) {
    report.invalid(place, names, "must have exactly one version marked as storage version");
  }
};

/** Requires that every version in `storedVersions` exists, because objects may still be stored in it. */
export const storedVersions: Rule<Definition> = (definition, at, report) => {
  const stored = definition.status?.storedVersions ?? [];
  const place = at.field("status").field("storedVersions");
  const versions = versionsOf(definition);
  if (stored.length === 0) report.invalid(place, stored, "must have at least one stored version");
  const storage = versions.findLast((each) => each.storage)?.name;
  if (storage !== undefined && stored.length > 0 && !stored.includes(storage)) {
    report.invalid(place, stored, `must have the storage version ${storage}`);
  }
  const known = new Set(versions.map(({ name }) => name));
  stored.forEach((name, position) => {
    if (!known.has(name)) report.invalid(place.item(position), name, "must appear in spec.versions");
  });
};

const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = ["int32", "int64", "float", "double", "byte", "date", "date-time", "password"];

const oneOfThese =
  (words: readonly string[]): Rule<string> =>
  (word, at, report) => {
    if (!words.includes(word)) report.invalid(at, word, `must be one of ${words.join(",")}`);
  };

const columns = each(
  fields<apiextensionsV1beta1.CustomResourceColumnDefinition>({
    name: required(),
    type: required(oneOfThese(COLUMN_TYPES)),
    format: oneOfThese(COLUMN_FORMATS),
    JSONPath: required((path: string, at, report) => {
      if (!path.startsWith(".")) report.invalid(at, path, "must be a simple json path starting with .");
    }),
  }),
);

export const definitionColumns: Rule<Definition> = (definition, _at, report) => {
  for (const { part, at } of partsOf(definition, "additionalPrinterColumns")) columns(part, at, report);
};

/** Checks `spec.version` of v1beta1, which repeats the name of the first version. */
export const firstVersion: Rule<Definition> = ({ spec }, _at, report) => {
  const { version: name, versions } = spec;
  if (name === undefined || name === "") return;
  const place = SPEC.field("version");
  label1035(name, place, report);
  const first = versions?.[0];
  if (first !== undefined && first.name !== name) report.invalid(place, name, "must be the first of spec.versions");
};

/** Requires of v1beta1 that equal parts of all versions are in the shared field, and different ones in the versions. */
export const sharedParts: Rule<Definition> = (definition, _at, report) => {
  const versions = versionsOf(definition);
  for (const name of Object.keys(SHARED) as Part[]) {
    const parts = versions.map((version) => version[name]);
    const shared = SHARED[name];
    if (isGiven(definition.spec[shared]) && parts.some(isGiven)) {
      report.forbidden(SPEC.field(shared), `may not be set beside the ${name} of single versions`);
    }
    const [first] = parts as JsonValue[];
    if (isGiven(first) && (parts as JsonValue[]).every((part) => sameValue(part, first))) {
      report.invalid(
        SPEC.field("versions"),
        first,
        `must not all have the same ${name}, which belongs to spec.${shared}`,
      );
    }
  }
};
