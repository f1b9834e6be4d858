// Name of the object that a request is about.
import type { AdmissionRequest } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** Returns the name in the request, else that of its objects, else `generateName`, else "Unknown". */
export function nameOf({ name, object, oldObject }: AdmissionRequest): string {
  return (
    [name, textAt(object, "name"), textAt(oldObject, "name"), textAt(object, "generateName")].find(Boolean) ?? "Unknown"
  );
}

function textAt(object: JsonObject | undefined, field: "name" | "generateName"): string {
  const value = ((object?.["metadata"] ?? {}) as JsonObject)[field];
  return typeof value === "string" ? value : "";
}
