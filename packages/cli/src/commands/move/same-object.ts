// Comparison of an object to import with the one that the target has.
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

/** Members that a server or its controllers write. */
const OF_SERVER = ["status", "apiVersion"];

/**
 * Tells whether the target's object has everything that the other one says. Members that only the target has, such as
 * defaults of a newer release and allocated addresses, do not count.
 */
export function hasAllOf(existing: JsonObject, wanted: JsonObject): boolean {
  return Object.entries(wanted).every(
    ([key, value]) => OF_SERVER.includes(key) || contains(existing[key] as JsonValue | undefined, value as JsonValue),
  );
}

function contains(existing: JsonValue | undefined, wanted: JsonValue): boolean {
  if (isObject(wanted)) {
    const holder = existing;
    if (holder === undefined) return isNothing(wanted);
    return (
      isObject(holder) &&
      Object.entries(wanted).every(([key, value]) => contains(holder[key] as JsonValue | undefined, value as JsonValue))
    );
  }
  if (Array.isArray(wanted)) {
    if (existing === undefined || existing === null) return wanted.length === 0;
    return (
      Array.isArray(existing) &&
      existing.length === wanted.length &&
      wanted.every((each, at) => contains(existing[at], each))
    );
  }
  return existing === wanted || (existing === undefined && isNothing(wanted));
}

/** Tells whether a value says the same as its absence. */
const isNothing = (value: JsonValue): boolean =>
  value === null ||
  value === "" ||
  value === false ||
  value === 0 ||
  (isObject(value) && Object.values(value).every((each) => isNothing(each as JsonValue)));
