// The name of the object that a request is about.
import type { AdmissionRequest } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** The request's own, else that of its objects, else the prefix from which a name will be made, else "Unknown". */
export function nameOf({ name, object, oldObject }: AdmissionRequest): string {
  return (
    [name, textAt(object, "name"), textAt(oldObject, "name"), textAt(object, "generateName")].find(Boolean) ?? "Unknown"
  );
}

function textAt(object: JsonObject | undefined, field: "name" | "generateName"): string {
  const value = ((object?.["metadata"] ?? {}) as JsonObject)[field];
  return typeof value === "string" ? value : "";
}
