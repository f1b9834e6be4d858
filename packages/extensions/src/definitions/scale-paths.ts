// Paths of the scale subresource, and validation of the values at them. Source: Kubernetes documentation, "Extend the
// Kubernetes API with CustomResourceDefinitions", "Scale subresource".
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

/** Returns errors for values that a Scale cannot represent. */
export function scaleErrors(paths: ScalePaths | undefined, object: JsonObject): readonly FieldError[] {
  if (paths === undefined) return [];
  const errors: FieldError[] = [];
  for (const path of [paths.specReplicas, paths.statusReplicas]) {
    const at = path.join(".");
    const value = valueOrObstacle(object, path, at, errors);
    if (value === undefined) continue;
    if (typeof value !== "number" || !Number.isInteger(value))
      errors.push(field.invalid(at, value, "should be an integer"));
    else if (value < 0) errors.push(field.invalid(at, value, "should be a non-negative integer"));
    else if (value > REPLICAS_MAX)
      errors.push(field.invalid(at, value, `should be less than or equal to ${REPLICAS_MAX}`));
  }
  if (paths.selector !== undefined) {
    const at = paths.selector.join(".");
    const selector = valueOrObstacle(object, paths.selector, at, errors);
    if (selector !== undefined && typeof selector !== "string")
      errors.push(field.invalid(at, selector, "should be a string"));
  }
  return errors;
}

/**
 * Returns the value at a path. An intermediate value without members is an error; an intermediate null counts as absent.
 */
function valueOrObstacle(
  object: JsonObject,
  path: readonly string[],
  at: string,
  errors: FieldError[],
): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const [index, name] of path.entries()) {
    if (value === undefined || value === null) return undefined;
    if (!isObject(value)) {
      errors.push(field.invalid(at, value, `${path.slice(0, index).join(".")} should be an object`));
      return undefined;
    }
    value = memberOf(value, name);
  }
  return value;
}

export function valueAt(object: JsonValue, names: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = object;
  for (const name of names) {
    if (!isObject(at)) return undefined;
    at = memberOf(at, name);
  }
  return at;
}
