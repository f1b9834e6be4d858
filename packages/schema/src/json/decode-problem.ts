// Problems that reading a body tolerates, and the paths of fields that messages show.

/**
 * A problem in a body that decoding tolerates. The caller ignores it, warns or rejects the request (`fieldValidation`).
 */
export interface DecodeProblem {
  readonly kind: "unknownField" | "duplicateField" | "furtherDocument";
  /** Path with every key after a dot, also a map's: `spec.containers[0].image`, `metadata.labels.a/b`. */
  readonly path: string;
  /** Duplicate key of a YAML text, with the line of its value, from 1. */
  readonly repeated?: { readonly key: string; readonly line: number };
}

/**
 * Maximum number of problems reported for a body; further ones are dropped. Each path may be as long as the body is
 * deep, and a body with more problems is not a typing error. Source: sigs.k8s.io/json,
 * internal/golang/encoding/json/kubernetes_patch.go, `saveStrictError`.
 */
export const PROBLEMS_MAX = 100;

/** Returns the step for a map key. It is shown in brackets, because keys may contain dots. */
export function mapKey(key: string): string {
  return `[${key}]`;
}

/** Formats the path of a problem, with map keys after a dot. @param steps as for `pathText` */
export function problemPath(steps: readonly (string | number)[]): string {
  return pathText(steps.map((step) => (typeof step === "string" && MAP_KEY.test(step) ? step.slice(1, -1) : step)));
}

const MAP_KEY = /^\[.*\]$/s;

/**
 * Formats a path: `["spec", "containers", 0, "[a/b]"]` → `spec.containers[0][a/b]`. A long path is shortened to its
 * end, after `…`.
 */
export function pathText(steps: readonly (string | number)[]): string {
  let text = "";
  for (let at = steps.length - 1; at >= 0; at--) {
    text = stepText(steps[at] as string | number, at === 0) + text;
    if (text.length > PATH_MAX_CHARACTERS) return `…${text.slice(-PATH_MAX_CHARACTERS)}`;
  }
  return text;
}

/** Maximum length of a path. A key may be as long as the body, and occur in the path of each problem. */
const PATH_MAX_CHARACTERS = 2048;

function stepText(step: string | number, isFirst: boolean): string {
  if (typeof step === "number") return `[${step}]`;
  if (step.length > PATH_MAX_CHARACTERS) return step.slice(-PATH_MAX_CHARACTERS - 1);
  return isFirst || step.startsWith("[") ? step : `.${step}`;
}
