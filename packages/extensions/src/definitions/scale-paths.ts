// Where a definition says that its objects have their replicas, and what is to stand there. Source: facts, validation/apiextensions.md
// "Subresources" and "Custom objects".
import { type FieldError, field } from "@orch/machinery";
import { type apiextensionsV1, isObject, type JsonObject, type JsonValue, memberOf } from "@orch/schema";
import { memberNames } from "./json-path";

export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly selector: readonly string[] | undefined;
}

export function scalePaths(scale: apiextensionsV1.CustomResourceSubresourceScale | undefined): ScalePaths | undefined {
  if (scale === undefined) return undefined;
  const specReplicas = memberNames(scale.specReplicasPath);
  const statusReplicas = memberNames(scale.statusReplicasPath);
  if (specReplicas === undefined || statusReplicas === undefined) return undefined;
  const { labelSelectorPath } = scale;
  return { specReplicas, statusReplicas, selector: labelSelectorPath ? memberNames(labelSelectorPath) : undefined };
}

const REPLICAS_MAX = 2 ** 31 - 1;

/** What a scale could not show. */
export function scaleErrors(paths: ScalePaths | undefined, object: JsonObject): readonly FieldError[] {
  if (paths === undefined) return [];
  const errors: FieldError[] = [];
  for (const path of [paths.specReplicas, paths.statusReplicas]) {
    const value = valueAt(object, path);
    if (value === undefined || value === null) continue;
    const at = path.join(".");
    if (typeof value !== "number" || !Number.isInteger(value))
      errors.push(field.invalid(at, value, "should be an integer"));
    else if (value < 0) errors.push(field.invalid(at, value, "should be a non-negative integer"));
    else if (value > REPLICAS_MAX)
      errors.push(field.invalid(at, value, `should be less than or equal to ${REPLICAS_MAX}`));
  }
  const selector = paths.selector && valueAt(object, paths.selector);
  if (selector !== undefined && selector !== null && typeof selector !== "string")
    errors.push(field.invalid((paths.selector ?? []).join("."), selector, "should be a string"));
  return errors;
}

export function valueAt(object: JsonValue, names: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = object;
  for (const name of names) {
    if (!isObject(at)) return undefined;
    at = memberOf(at, name);
  }
  return at;
}
