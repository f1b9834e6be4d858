// Handles unknown and duplicate fields of a body as the client requested: ignore, warn or refuse. Texts and order are
// those of kube-apiserver, which programs search for. Source:
// staging/src/k8s.io/apiserver/pkg/endpoints/handlers/rest.go and patch.go;
// staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go, `schemaCoercingDecoder`.
import {
  BAD_REQUEST_TEXT,
  badRequest,
  type FieldValidation,
  type ServedVersion,
  type StatusError,
} from "@orch/machinery";
import type { ApiRequest } from "@orch/request";
import { type DecodeProblem, inDocumentOrder, inKeyOrder, inPathOrder } from "@orch/schema";

export interface FieldReport {
  readonly request: ApiRequest;
  readonly fieldValidation: FieldValidation;
  /** Returns the error for a strict client. @param list of all problems */
  readonly refuse: (list: string) => StatusError;
}

/** @throws StatusError of `refuse`, for strict clients */
export function reportProblems({ request, fieldValidation, refuse }: FieldReport, problems: readonly Problem[]): void {
  if (problems.length === 0 || fieldValidation === "Ignore") return;
  if (fieldValidation === "Strict") throw refuse(problems.map(errorText).join(", "));
  for (const problem of problems) for (const text of warningTexts(problem)) request.context.warn(text);
}

/** A text, or the lines of a YAML body that repeat a key: one error, and a warning for each line. */
export type Problem = string | { readonly lines: readonly string[] };

const errorText = (problem: Problem): string => (typeof problem === "string" ? problem : yamlErrorText(problem.lines));

const warningTexts = (problem: Problem): readonly string[] => (typeof problem === "string" ? [problem] : problem.lines);

const yamlErrorText = (lines: readonly string[]): string => `yaml: unmarshal errors:\n  ${lines.join("\n  ")}`;

/**
 * Returns the problems of a whole object.
 * @param parsed those that the parser found
 * @param unknown those that decoding found
 * @param json the body, when it is JSON
 */
export function objectProblems(
  version: ServedVersion,
  {
    parsed,
    unknown,
    json,
  }: {
    readonly parsed: readonly DecodeProblem[];
    readonly unknown: readonly DecodeProblem[];
    readonly json: Buffer | undefined;
  },
): readonly Problem[] {
  if (parsed.length + unknown.length === 0) return [];
  if (isCustom(version)) return [...parsedTexts(parsed), ...customOrder(unknown).map(problemText)];
  if (json !== undefined) return inDocumentOrder(json.toString("utf8"), [...parsed, ...unknown]).map(problemText);
  return [...parsedTexts(parsed), ...inKeyOrder(unknown).map(problemText)];
}

/** Returns the problems of the result of a patch. */
export function patchedProblems(
  version: ServedVersion,
  kind: "json" | "merge" | "strategicMerge",
  unknown: readonly DecodeProblem[],
): readonly Problem[] {
  if (isCustom(version)) return customOrder(unknown).map(problemText);
  return (kind === "strategicMerge" ? inPathOrder(unknown) : inKeyOrder(unknown)).map(problemText);
}

const isCustom = ({ type }: ServedVersion): boolean => type.struct.validatesLater === true;

/** The metadata of a custom object are decoded before its schema prunes the rest. */
function customOrder(unknown: readonly DecodeProblem[]): readonly DecodeProblem[] {
  const ofMetadata = ({ path }: DecodeProblem): boolean => path.startsWith("metadata.");
  const rest = unknown.filter((problem) => !ofMetadata(problem));
  return [...inPathOrder(unknown.filter(ofMetadata)), ...inPathOrder(rest)];
}

/** Returns the problems that the parser found, in the order of the text. */
export function parsedTexts(problems: readonly DecodeProblem[]): readonly Problem[] {
  const lines = repeatedLines(problems);
  const texts = problems.filter(({ repeated }) => repeated === undefined).map(problemText);
  return lines.length === 0 ? texts : [{ lines }, ...texts];
}

/** Describes the duplicate keys of a YAML text. */
const repeatedLines = (problems: readonly DecodeProblem[]): readonly string[] =>
  problems.flatMap(({ repeated }) =>
    repeated === undefined ? [] : [`line ${repeated.line}: key ${JSON.stringify(repeated.key)} already set in map`],
  );

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

export const strictText = (list: string): string => `strict decoding error: ${list}`;

export function wrongBody(of: ServedVersion, why: string): StatusError {
  const { kind, apiVersion } = of;
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  return badRequest(BAD_REQUEST_TEXT.wrongKind({ kind, version, expected: kind, why }));
}
