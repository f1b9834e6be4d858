// JSON without a schema as CEL values: numbers without a fraction are integers, as in Kubernetes.
import { bigIntOf, isInt64, isObject, type JsonValue } from "@orch/schema";
import type { CelValue } from "../values/cel-value";
import { SchemaList, SchemaMap } from "./schema-value";

const ATOMIC = { kind: "atomic" } as const;

/** Returns a view of the JSON; nothing is copied. */
export function dynamicValue(json: JsonValue): CelValue {
  switch (typeof json) {
    case "string":
    case "boolean":
      return json;
    case "number":
      return Number.isSafeInteger(json) ? BigInt(json) : json;
    case "bigint":
      return json;
  }
  if (json === null) return null;
  if (Array.isArray(json)) return new SchemaList(json, dynamicValue, ATOMIC);
  if (isObject(json)) return new SchemaMap(json, dynamicValue);
  return isInt64(json) ? bigIntOf(json) : Number(json);
}
