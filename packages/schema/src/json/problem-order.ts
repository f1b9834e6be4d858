// Order of the problems of a body, which clients see in messages and warnings. Source: sigs.k8s.io/json,
// internal/golang/encoding/json/decode.go;
// staging/src/k8s.io/apimachinery/pkg/runtime/serializer/json/json.go, `unmarshal`.
import type { DecodeProblem } from "./decode-problem";
import { DEPTH_MAX } from "./exact-json";
import { scanJson } from "./json-scanner";

/**
 * Returns the problems in the order of a JSON text. A repeated unknown field, and fields inside one, are reported as one
 * unknown field.
 */
export function inDocumentOrder(text: string, problems: readonly DecodeProblem[]): readonly DecodeProblem[] {
  const unknown = problems.filter(({ kind }) => kind === "unknownField").map(({ path }) => path);
  if (unknown.length === 0 || problems.length === 1) return problems;
  return scanJson(text, DEPTH_MAX, unknown).problems;
}

/** Returns the problems in the order of a document whose keys are sorted at every level. */
export function inKeyOrder(problems: readonly DecodeProblem[]): readonly DecodeProblem[] {
  if (problems.length < 2) return problems;
  const withSteps = problems.map((problem) => ({ problem, steps: problem.path.split(/[.[\]]+/) }));
  return withSteps.sort((one, other) => compareSteps(one.steps, other.steps)).map(({ problem }) => problem);
}

/** Returns the problems in the order of their paths. */
export function inPathOrder(problems: readonly DecodeProblem[]): readonly DecodeProblem[] {
  return [...problems].sort((one, other) => compareTexts(one.path, other.path));
}

function compareSteps(one: readonly string[], other: readonly string[]): number {
  for (let at = 0; at < one.length && at < other.length; at++) {
    const [left, right] = [one[at] as string, other[at] as string];
    if (left === right) continue;
    return /^\d+$/.test(left) && /^\d+$/.test(right) ? Number(left) - Number(right) : compareTexts(left, right);
  }
  return one.length - other.length;
}

const compareTexts = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);
