// Lists the fields that a write changed, in readable form. Fields that the server maintains itself, such as
// managedFields and resourceVersion, are left out.
import type { JsonObject } from "@orch/schema";
import { compareObjects } from "./compare";
import { memberCount, pathTexts, union } from "./field-set";
import { emptyObject } from "./track-update";
import { type ObjectVersions, shapeIn } from "./versioned-change";

export interface ChangedPaths {
  /** Paths as written in conflict messages: `.spec.containers[name="web"].image`. */
  readonly paths: readonly string[];
  /** Number of changed paths that are not listed. */
  readonly more: number;
}

const PATHS_MAX = 100;
const CHARACTERS_MAX = 8192;

/**
 * Lists the changed paths, at most 100 and 8192 characters in total.
 * @param change both objects in `apiVersion`; `old` is undefined when the object is new
 */
export function changedPaths(
  versions: ObjectVersions,
  apiVersion: string,
  { old, next }: { readonly old: JsonObject | undefined; readonly next: JsonObject },
): ChangedPaths {
  const shape = shapeIn(versions, apiVersion);
  const difference = shape && compareObjects(shape, old ?? emptyObject(versions, apiVersion), next);
  const changed = union(difference?.written, difference?.removed);
  if (changed === undefined) return { paths: [], more: 0 };
  const paths: string[] = [];
  let characters = 0;
  for (const path of pathTexts(changed, PATHS_MAX)) {
    characters += path.length;
    if (characters > CHARACTERS_MAX) break;
    paths.push(path);
  }
  return { paths, more: memberCount(changed) - paths.length };
}
