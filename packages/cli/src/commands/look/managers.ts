// Field managers of an object, and the fields that each has set. Source: Kubernetes documentation, "Server-Side Apply".
import { isObject, type JsonObject } from "@orch/schema";
import { metadataOf } from "../../output/server-table";

export interface FieldManager {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fields: JsonObject;
}

/** Returns the managers, in the order of their last change. */
export function managersOf(object: JsonObject): readonly FieldManager[] {
  const { managedFields } = metadataOf(object);
  if (!Array.isArray(managedFields)) return [];
  return managedFields
    .filter(isObject)
    .map(({ manager, operation, subresource, time, fieldsV1 }) => ({
      manager: String(manager ?? ""),
      operation: String(operation ?? ""),
      ...(typeof subresource === "string" && subresource !== "" && { subresource }),
      ...(typeof time === "string" && { time }),
      fields: isObject(fieldsV1) ? fieldsV1 : {},
    }))
    .sort((one, other) => ((one.time ?? "") < (other.time ?? "") ? -1 : 1));
}

/** Maximum number of paths of a manager. */
const PATHS_MAX = 2_000;

/** Returns the paths of a set of fields: `spec.replicas`, `spec.containers[name=web].image`. */
export function managedPaths(fields: JsonObject): readonly string[] {
  const paths: string[] = [];
  const open: { readonly fields: JsonObject; readonly path: string }[] = [{ fields, path: "" }];
  while (open.length > 0 && paths.length < PATHS_MAX) {
    const { fields: each, path } = open.pop() as { readonly fields: JsonObject; readonly path: string };
    const keys = Object.keys(each).filter((key) => key !== ".");
    if (keys.length === 0 && path !== "") paths.push(path);
    for (const key of keys.sort().reverse()) {
      const inner = each[key];
      open.push({ fields: isObject(inner) ? inner : {}, path: joined(path, key) });
    }
  }
  return paths;
}

/** Adds an element of a path. Elements are `f:name`, `k:{"name":"web"}`, `v:value` and `i:0`. */
function joined(path: string, key: string): string {
  const text = key.slice(2);
  if (key.startsWith("f:")) return path === "" ? text : `${path}.${text}`;
  return `${path}[${key.startsWith("k:") ? keyText(text) : text}]`;
}

function keyText(json: string): string {
  try {
    const value = JSON.parse(json) as unknown;
    if (!isObject(value)) return json;
    return Object.entries(value)
      .map(([name, each]) => `${name}=${String(each)}`)
      .join(",");
  } catch {
    return json;
  }
}
