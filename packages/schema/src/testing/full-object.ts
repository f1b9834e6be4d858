// Objects generated from the types, with every field set.
import type { JsonObject, JsonValue } from "../json/json-value";
import type { RuntimeType, StructType } from "../types/runtime-type";

/**
 * Returns an object that decoding does not change. A type is not nested in itself. Only the outermost object has kind
 * and apiVersion, as in protobuf.
 */
export function fullObject(type: StructType): JsonObject {
  return { kind: "text", apiVersion: "text", ...sampleStruct(type, [type]) };
}

/** Returns a value; undefined for a type that would contain itself. */
function sample(type: RuntimeType, open: readonly StructType[] = []): JsonValue | undefined {
  switch (type.kind) {
    case "struct":
      return open.includes(type) ? undefined : sampleStruct(type, [...open, type]);
    case "list": {
      const element = sample(type.element, open);
      return element === undefined ? undefined : [element];
    }
    case "map": {
      const value = sample(type.value, open);
      return value === undefined ? undefined : { "a.b/c": value, d: value };
    }
    case "either":
      return sample(type.object, open) ?? sample(type.other, open);
    case "string":
      return type.values?.values.at(-1) || "text";
    case "integer":
      return type.bits === 64 ? 2n ** 63n - 1n : type.unsigned ? 2 ** 32 - 1 : -(2 ** 31);
    case "boolean":
      return true;
    case "number":
      return 0.5;
    case "bytes":
      return "aGk=";
    case "quantity":
      return "1500m";
    case "intOrString":
      return "80%";
    case "time":
      return "2024-02-29T23:59:59Z";
    case "microTime":
      return "2024-02-29T23:59:59.123456Z";
    case "duration":
      return "1h30m0s";
    case "object":
      return { "f:a": {} };
    case "any":
      return { any: [1, "two", null] };
  }
}

function sampleStruct(type: StructType, open: readonly StructType[]): JsonObject {
  const fields = type.isRoot ? type.fields.filter(({ name }) => name !== "kind" && name !== "apiVersion") : type.fields;
  const entries = fields.map((field): [string, JsonValue | undefined] => [field.name, sample(field.type, open)]);
  return Object.fromEntries(entries.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined));
}
