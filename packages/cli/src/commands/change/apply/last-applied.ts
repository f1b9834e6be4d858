// The annotation in which client-side apply keeps the file's object as it was last applied.
import { jsonText, metaOf } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { inKeyOrder } from "../../../output/format";

/** Returns the object with the annotation. */
export function withLastApplied(object: JsonObject, annotation: string): JsonObject {
  const plain = withoutLastApplied(object, annotation);
  const metadata = (plain["metadata"] ?? {}) as JsonObject;
  const annotations = isObject(metadata["annotations"]) ? metadata["annotations"] : {};
  const text = `${jsonText(inKeyOrder({ ...plain, metadata: { ...metadata, annotations } }))}\n`;
  return { ...plain, metadata: { ...metadata, annotations: { ...annotations, [annotation]: text } } };
}

function withoutLastApplied(object: JsonObject, annotation: string): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || !isObject(metadata["annotations"])) return object;
  const { [annotation]: _, ...annotations } = metadata["annotations"];
  return { ...object, metadata: { ...metadata, annotations } };
}

/** Returns what the annotation holds; undefined without it, or when it cannot be read. */
export function lastApplied(live: JsonObject, annotation: string): JsonObject | undefined {
  const text = metaOf(live).annotations?.[annotation];
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a value without the members that are null. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member as JsonValue)]));
}
