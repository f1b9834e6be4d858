// Errors with which plugins refuse requests. Source: staging/src/k8s.io/apiserver/pkg/admission/errors.go.
import { type AdmissionRequest, type StatusCause, StatusError } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/**
 * Returns a 403 on the request's object, with the API group of the request: `<resource>[.<group>] "<name>" is
 * forbidden: <text>`.
 */
export function forbidden(request: AdmissionRequest, text: string, causes?: readonly StatusCause[]): StatusError {
  const { plural } = request.definition;
  const { group } = request.version;
  const name = nameOf(request);
  const of = group === "" ? plural : `${plural}.${group}`;
  return new StatusError("Forbidden", `${of} ${JSON.stringify(name)} is forbidden: ${text}`, {
    name,
    ...(group !== "" && { group }),
    kind: plural,
    ...(causes && { causes }),
  });
}

/**
 * Returns the name of the object that a request is about: the name in the request, else that of its
 * objects, else `generateName`, else "Unknown".
 */
export function nameOf({ name, object, oldObject }: AdmissionRequest): string {
  return (
    [name, textAt(object, "name"), textAt(oldObject, "name"), textAt(object, "generateName")].find(Boolean) ?? "Unknown"
  );
}

function textAt(object: JsonObject | undefined, field: "name" | "generateName"): string {
  const value = ((object?.["metadata"] ?? {}) as JsonObject)[field];
  return typeof value === "string" ? value : "";
}

/**
 * Thrown when the data that a plugin decides by has not been loaded yet. The chain refuses the request. Source:
 * staging/src/k8s.io/apiserver/pkg/admission/handler.go.
 */
export class NotReadyError extends Error {
  override readonly name = "NotReadyError";
  constructor(options?: ErrorOptions) {
    super("not yet ready to handle request", options);
  }
}
