// Size limits of schemas. Kubernetes limits only the request; here every walk over a schema is bounded.
import { type FieldError, field } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

/**
 * Limits of the nesting, which counts two levels per nested object, and of the number of values: several times those of
 * common definitions.
 */
const DEPTH_MAX = 200;
const VALUES_MAX = 400_000;

/** Returns errors for a schema that is too large. @param path path of the schema's root */
export function sizeErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const size = new Size();
  size.count(schema, 0);
  return [
    ...(size.depth > DEPTH_MAX ? [field.forbidden(path, `must not be nested more than ${DEPTH_MAX} levels deep`)] : []),
    ...(size.values > VALUES_MAX ? [field.tooMany(path, { count: size.values, max: VALUES_MAX })] : []),
  ];
}

class Size {
  depth = 0;
  values = 0;

  count(value: JsonValue, depth: number): void {
    this.values += 1;
    if (depth > this.depth) this.depth = depth;
    if (depth > DEPTH_MAX || typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) for (const item of value) this.count(item, depth + 1);
    else if (isObject(value)) for (const name in value) this.count(value[name] as JsonValue, depth + 1);
  }
}
