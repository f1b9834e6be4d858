// How plugins refuse. Source: facts, errors.json "ForbiddenAdmission".
import { type AdmissionRequest, type StatusCause, StatusError } from "@orch/machinery";
import { nameOf } from "./request-name";

/** 403 on the request's object: `<resource>[.<group>] "<name>" is forbidden: <text>`. */
export function forbidden(request: AdmissionRequest, text: string, causes?: readonly StatusCause[]): StatusError {
  const { group, plural } = request.definition;
  const name = nameOf(request);
  const of = group === "" ? plural : `${plural}.${group}`;
  return new StatusError("Forbidden", `${of} ${JSON.stringify(name)} is forbidden: ${text}`, {
    name,
    ...(group !== "" && { group }),
    kind: plural,
    ...(causes && { causes }),
  });
}
