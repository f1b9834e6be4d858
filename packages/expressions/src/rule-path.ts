// The path that a rule reports its errors at, below the value that it is about: `.spec.replicas`, `['a.b']`, `.labels.tier`.
// It is one of the field's JSON paths, without places in lists, and names what the schema has.
import { fieldPath } from "@orch/machinery";
import { isObject, type JsonObject, memberOf } from "@orch/schema";

type Step = { readonly name: string; readonly isKey: boolean };

const STEP = /\.([a-zA-Z_][\w-]*)|\['((?:[^'\\]|\\.)*)'\]/y;

/** Undefined for a path that leads to no place of the schema. */
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
