// The version at which a watch resumes.
import { isRecord } from "../values/api-object";

/**
 * Returns the resource version of an event's object; undefined when it has none. The version of a table is that of its row,
 * and bookmarks have the same form as objects.
 */
export function versionOf(object: unknown): string | undefined {
  if (!isRecord(object)) return undefined;
  const { metadata } = object;
  if (!isRecord(metadata)) return undefined;
  const version = metadata["resourceVersion"];
  return typeof version === "string" && version !== "" ? version : undefined;
}
