// How plugins refuse, and how they say that they cannot tell yet. Source: facts, errors.json "ForbiddenAdmission".
import { type AdmissionRequest, type StatusCause, StatusError } from "@orch/machinery";
import { nameOf } from "./request-name";

/** 403 on the request's object, by the group that it speaks of: `<resource>[.<group>] "<name>" is forbidden: <text>`. */
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

/** What a plugin decides by is not there yet. The chain refuses the request. Source: facts, admission/chain.md "Readiness of caches". */
export class NotReadyError extends Error {
  override readonly name = "NotReadyError";
  constructor(options?: ErrorOptions) {
    super("not yet ready to handle request", options);
  }
}
