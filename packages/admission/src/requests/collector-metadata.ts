// Detects updates that change only metadata which the garbage collector maintains. They need no further permission.
// Source: pkg/registry/rbac/helpers.go, `IsOnlyMutatingGCFields`.
import type { JsonObject, JsonValue } from "@orch/schema";

/** Metadata fields that the garbage collector may change. */
const UPKEEP: ReadonlySet<string> = new Set(["ownerReferences", "finalizers", "managedFields", "selfLink"]);
const METADATA: ReadonlySet<string> = new Set(["metadata"]);

/**
 * Returns whether the two objects differ only in those fields.
 * @param object the new object
 * @param oldObject the existing object
 */
export function changesOnlyCollectorMetadata(object: JsonObject, oldObject: JsonObject): boolean {
  const [next, old] = [object, oldObject].map(({ metadata }) => (metadata ?? {}) as JsonObject) as [
    JsonObject,
    JsonObject,
  ];
  return sameMembers(object, oldObject, METADATA) && sameMembers(next, old, UPKEEP);
}

/** Compares values, treating an empty value and an absent one as equal. */
function sameMeaning(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other || (isEmpty(one) && isEmpty(other))) return true;
  if (!isNested(one) || !isNested(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  if (!Array.isArray(one)) return sameMembers(one, other as JsonObject);
  const items = other as readonly JsonValue[];
  return one.length === items.length && one.every((item, at) => sameMeaning(item, items[at]));
}

function sameMembers(one: JsonObject, other: JsonObject, except: ReadonlySet<string> = NONE): boolean {
  for (const name in one) {
    const same = except.has(name) || sameMeaning(one[name], Object.hasOwn(other, name) ? other[name] : undefined);
    if (!same) return false;
  }
  for (const name in other) {
    if (!except.has(name) && !Object.hasOwn(one, name) && !isEmpty(other[name])) return false;
  }
  return true;
}

const NONE: ReadonlySet<string> = new Set();

const isNested = (value: JsonValue | undefined): value is JsonObject | JsonValue[] =>
  typeof value === "object" && value !== null;

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value !== "object") return false;
  for (const _ in value) return false;
  return true;
}
