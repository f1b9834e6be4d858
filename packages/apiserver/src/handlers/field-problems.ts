// Handles unknown and duplicate fields of a body as the client requested: ignore, warn or refuse.
import {
  BAD_REQUEST_TEXT,
  badRequest,
  type FieldValidation,
  type ServedVersion,
  type StatusError,
} from "@orch/machinery";
import type { ApiRequest } from "@orch/request";
import type { DecodeProblem } from "@orch/schema";

/** @throws StatusError BadRequest (400) that lists all of them, for strict clients */
export function reportProblems(
  request: ApiRequest,
  version: ServedVersion,
  fieldValidation: FieldValidation,
  problems: readonly DecodeProblem[],
): void {
  if (problems.length === 0 || fieldValidation === "Ignore") return;
  const texts = problems.map(problemText);
  if (fieldValidation === "Strict") throw wrongBody(version, `strict decoding error: ${texts.join(", ")}`);
  for (const text of texts) request.context.warn(text);
}

function problemText({ kind, path }: DecodeProblem): string {
  switch (kind) {
    case "unknownField":
      return `unknown field "${path}"`;
    case "duplicateField":
      return `duplicate field "${path}"`;
    case "furtherDocument":
      return "the body contains more than one YAML document; only the first is read";
  }
}

export function wrongBody(version: ServedVersion, why: string): StatusError {
  const { kind, apiVersion } = version;
  return badRequest(BAD_REQUEST_TEXT.wrongKind({ kind, version: apiVersion, expected: kind, why }));
}
