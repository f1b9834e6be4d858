// Which of a cluster's classes is for those who name none.
import { metaOf, nameOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/**
 * @param annotations of which one says so
 * @returns their names, the newest first, and in the order of names where they are of the same time
 */
export function defaultClasses(classes: readonly JsonObject[], annotations: readonly string[]): readonly string[] {
  return classes
    .filter((each) => isDefault(each, annotations))
    .sort((one, other) => compare(madeAt(other), madeAt(one)) || compare(nameOf(one), nameOf(other)))
    .map(nameOf);
}

function isDefault(of: JsonObject, keys: readonly string[]): boolean {
  const { annotations = {} } = metaOf(of);
  return keys.some((key) => annotations[key] === "true");
}

/** RFC 3339 in whole seconds, UTC: in the order of time. */
const madeAt = (of: JsonObject): string => metaOf(of).creationTimestamp ?? "";

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
