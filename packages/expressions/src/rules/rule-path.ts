// The `fieldPath` of a rule: the path at which its errors are reported, relative to the validated value:
// `.spec.replicas`, `['a.b']`, `.labels.tier`. A simple JSON path without list indexes, which must exist in the schema.
import { fieldPath } from "@orch/machinery";
import { isObject, type JsonObject, memberOf } from "@orch/schema";

type Step = { readonly name: string; readonly isKey: boolean };

const STEP = /\.([a-zA-Z_][\w-]*)|\['((?:[^'\\]|\\.)*)'\]/y;

/** Parses a path; undefined when it does not exist in the schema. */
export function fieldSteps(path: string, schema: JsonObject): readonly Step[] | undefined {
  const steps: Step[] = [];
  let at: JsonObject | undefined = schema;
  STEP.lastIndex = 0;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (match === null || at === undefined) return undefined;
    const name: string = match[1] ?? (match[2] ?? "").replace(/\\(.)/g, "$1");
    const properties: unknown = memberOf(at, "properties");
    const property: unknown = isObject(properties) ? memberOf(properties, name) : undefined;
    const additional: unknown = memberOf(at, "additionalProperties");
    const next: unknown = property ?? additional;
    if (!isObject(next)) return undefined;
    steps.push({ name, isKey: property === undefined });
    at = next;
  }
  return steps.length === 0 ? undefined : steps;
}

export const pathWith = (front: string, steps: readonly Step[]): string =>
  steps.reduce((path, { name, isKey }) => (isKey ? fieldPath.key(path, name) : fieldPath.child(path, name)), front);
