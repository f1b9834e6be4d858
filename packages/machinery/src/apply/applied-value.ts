// Reads what a manager applies: only what it gives, checked against the type, with values in their canonical texts.
// Source: facts, ssa.md "Typing".
import {
  canonicalBase64,
  canonicalDuration,
  canonicalMicroTime,
  canonicalQuantity,
  canonicalTime,
  describe,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  type ListType,
  type RuntimeType,
  type StructType,
} from "@orch/schema";
import { unclassified } from "../server-errors";
import { itemElement } from "./list-item";
import { type ItemsShape, listShape } from "./merge-shape";
import { elementText, fieldElement } from "./path-element";

/**
 * @param value the parsed body, left as it is
 * @returns a copy without defaults or anything else that was not given
 * @throws StatusError, unclassified (500), that lists every field at fault
 */
export function readApplied(type: StructType, value: JsonObject): JsonObject {
  const reader = new AppliedReader();
  const result = reader.struct(type, value, "");
  if (reader.errors.length > 0) throw unclassified(`failed to create typed patch object: ${errorText(reader.errors)}`);
  return result;
}

function errorText(errors: readonly string[]): string {
  return errors.length === 1 ? (errors[0] ?? "") : ["errors:", ...errors.map((error) => `  ${error}`)].join("\n");
}

class AppliedReader {
  readonly errors: string[] = [];

  struct(type: StructType, value: JsonObject, path: string): JsonObject {
    const result: JsonObject = {};
    for (const name of Object.keys(value)) {
      const given = value[name] as JsonValue;
      const at = path + elementText(fieldElement(name));
      const field = type.fieldByName.get(name);
      if (field !== undefined) result[name] = this.#value(field.type, given, at);
      else if (type.keepsUnknownFields && name !== "__proto__") result[name] = structuredClone(given);
      else this.errors.push(`${at}: field not declared in schema`);
    }
    return result;
  }

  #value(type: RuntimeType, value: JsonValue, path: string): JsonValue {
    if (value === null) return null;
    switch (type.kind) {
      case "struct":
        return isObject(value) ? this.struct(type, value, path) : this.#wrong("map", value, path);
      case "map":
        return isObject(value) ? this.#map(type.value, value, path) : this.#wrong("map", value, path);
      case "list":
        return Array.isArray(value) ? this.#list(type, value, path) : this.#wrong("list", value, path);
      case "either":
        return isObject(value) ? this.struct(type.object, value, path) : this.#value(type.other, value, path);
      case "string":
        return typeof value === "string" ? value : this.#wrong("string", value, path);
      case "boolean":
        return typeof value === "boolean" ? value : this.#wrong("boolean", value, path);
      case "integer":
      case "number":
        return typeof value === "number" ? value : this.#wrong("numeric (int or float)", value, path);
      case "object":
      case "any":
        return structuredClone(value);
      default:
        return canonicalScalar(type.kind, value);
    }
  }

  #map(type: RuntimeType, value: JsonObject, path: string): JsonObject {
    const result: JsonObject = {};
    for (const name of Object.keys(value)) {
      if (name !== "__proto__")
        result[name] = this.#value(type, value[name] as JsonValue, path + elementText(fieldElement(name)));
    }
    return result;
  }

  #list(type: ListType, items: JsonArray, path: string): JsonArray {
    const list = listShape(type);
    if (list.kind === "leaf") return items.map((item, index) => this.#value(type.element, item, `${path}[${index}]`));
    const seen = new Set<string>();
    return items.map((item, index) => {
      const fault = list.kind === "items" ? missingKey(list, item) : plainFault(item);
      if (fault !== undefined) {
        this.errors.push(`${path}: element ${index}: ${fault}`);
        return item;
      }
      const text = elementText(itemElement(list, item));
      if (seen.has(text)) this.errors.push(`${path}: duplicate entries for key ${text}`);
      seen.add(text);
      return this.#value(type.element, item, path + text);
    });
  }

  #wrong(expected: string, value: JsonValue, path: string): JsonValue {
    this.errors.push(`${path}: expected ${expected}, got ${describe(value)}`);
    return value;
  }
}

function missingKey({ keys }: ItemsShape, item: JsonValue): string | undefined {
  if (item === null) return "associative list with keys may not have a null element";
  if (!isObject(item)) return "associative list with keys may not have non-map elements";
  const missing = keys.find((key) => (item[key.name] ?? key.default) === undefined);
  if (missing === undefined) return undefined;
  return `associative list with keys has an element that omits key field ${JSON.stringify(missing.name)} (and doesn't have default value)`;
}

function plainFault(item: JsonValue): string | undefined {
  if (item === null) return "associative list without keys has an element that's a null";
  return typeof item === "object" ? "associative list without keys has an element that's not a scalar" : undefined;
}

/** A text that cannot be read stays: decoding the whole object tells what is wrong with it. */
function canonicalScalar(
  kind: "bytes" | "quantity" | "intOrString" | "time" | "microTime" | "duration",
  value: JsonValue,
): JsonValue {
  if (kind === "quantity" && typeof value === "number") return canonicalQuantity(String(value)) ?? value;
  if (typeof value !== "string") return value;
  switch (kind) {
    case "quantity":
      return canonicalQuantity(value) ?? value;
    case "time":
      return canonicalTime(value) ?? value;
    case "microTime":
      return canonicalMicroTime(value) ?? value;
    case "duration":
      return canonicalDuration(value) ?? value;
    case "bytes":
      return canonicalBase64(value) ?? value;
    case "intOrString":
      return value;
  }
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
