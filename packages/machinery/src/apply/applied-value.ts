// Reads an applied configuration: keeps only the given fields, checks them against the type, and writes values in
// canonical form. Source: "Server-Side Apply" in the Kubernetes documentation.
import {
  canonicalBase64,
  canonicalDuration,
  canonicalMicroTime,
  canonicalQuantity,
  canonicalTime,
  copyJson,
  describe,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  type ListType,
  memberOf,
  PROBLEMS_MAX,
  type RuntimeType,
  type StructType,
  setMember,
} from "@orch/schema";
import { unclassified } from "../errors/server-errors";
import { itemElement } from "./list-item";
import { type ItemsShape, listShape } from "./merge-shape";
import { elementText, fieldElement, joinedPath } from "./path-element";

/**
 * Reads and checks an applied configuration.
 * @param value the parsed body; not modified
 * @returns a copy without defaults or any other field that was not given
 * @throws StatusError, unclassified (500), that lists the invalid fields, at most PROBLEMS_MAX of them
 */
export function readApplied(type: StructType, value: JsonObject): JsonObject {
  const reader = new AppliedReader();
  const result = reader.struct(type, value);
  if (reader.errors.length > 0) throw unclassified(`failed to create typed patch object: ${errorText(reader.errors)}`);
  return result;
}

function errorText(errors: readonly string[]): string {
  return errors.length === 1 ? (errors[0] ?? "") : ["errors:", ...errors.map((error) => `  ${error}`)].join("\n");
}

class AppliedReader {
  readonly errors: string[] = [];
  private readonly path: Step[] = [];

  struct(type: StructType, value: JsonObject): JsonObject {
    const result: JsonObject = {};
    for (const name of Object.keys(value)) {
      const given = value[name] as JsonValue;
      const field = type.fieldByName.get(name);
      if (field !== undefined) setMember(result, name, this.inside(name, field.type, given));
      else if (type.keepsUnknownFields || type.acceptsUnknownFields === true) setMember(result, name, copyJson(given));
      else this.fail("field not declared in schema", name);
    }
    return result;
  }

  private inside(step: Step, type: RuntimeType, value: JsonValue): JsonValue {
    this.path.push(step);
    const result = this.value(type, value);
    this.path.pop();
    return result;
  }

  private value(type: RuntimeType, value: JsonValue): JsonValue {
    if (value === null) return null;
    switch (type.kind) {
      case "struct":
        return isObject(value) ? this.struct(type, value) : this.wrong("map", value);
      case "map":
        return isObject(value) ? this.map(type.value, value) : this.wrong("map", value);
      case "list":
        return Array.isArray(value) ? this.list(type, value) : this.wrong("list", value);
      case "either":
        return isObject(value) ? this.struct(type.object, value) : this.value(type.other, value);
      case "string":
        return typeof value === "string" ? value : this.wrong("string", value);
      case "boolean":
        return typeof value === "boolean" ? value : this.wrong("boolean", value);
      case "integer":
      case "number":
        return typeof value === "number" || typeof value === "bigint"
          ? value
          : this.wrong("numeric (int or float)", value);
      case "object":
      case "any":
        return copyJson(value);
      default:
        return canonicalScalar(type.kind, value);
    }
  }

  private map(type: RuntimeType, value: JsonObject): JsonObject {
    const result: JsonObject = {};
    for (const name of Object.keys(value)) setMember(result, name, this.inside(name, type, value[name] as JsonValue));
    return result;
  }

  private list(type: ListType, items: JsonArray): JsonArray {
    const list = listShape(type);
    if (list.kind === "leaf") return items.map((item, index) => this.inside(index, type.element, item));
    const seen = new Set<string>();
    return items.map((item, index) => {
      const fault = list.kind === "items" ? missingKey(list, item) : plainFault(item);
      if (fault !== undefined) {
        this.fail(`element ${index}: ${fault}`);
        return item;
      }
      const element = itemElement(list, item);
      if (seen.has(element)) this.fail(`duplicate entries for key ${elementText(element)}`);
      seen.add(element);
      return this.inside({ element }, type.element, item);
    });
  }

  private wrong(expected: string, value: JsonValue): JsonValue {
    this.fail(`expected ${expected}, got ${describe(value)}`);
    return value;
  }

  private fail(what: string, ...inside: readonly string[]): void {
    if (this.errors.length >= PROBLEMS_MAX) return;
    this.errors.push(`${joinedPath([...this.path, ...inside], stepText)}: ${what}`);
  }
}

/**
 * Step of the path to the current value: a field name or map key, a list index, or a list item. Rendered only for an
 * error message.
 */
type Step = string | number | { readonly element: string };

function stepText(step: Step): string {
  if (typeof step === "string") return elementText(fieldElement(step));
  return typeof step === "number" ? `[${step}]` : elementText(step.element);
}

function missingKey({ keys }: ItemsShape, item: JsonValue): string | undefined {
  if (item === null) return "associative list with keys may not have a null element";
  if (!isObject(item)) return "associative list with keys may not have non-map elements";
  const missing = keys.find((key) => (memberOf(item, key.name) ?? key.default) === undefined);
  if (missing === undefined) return undefined;
  return `associative list with keys has an element that omits key field ${JSON.stringify(missing.name)} (and doesn't have default value)`;
}

function plainFault(item: JsonValue): string | undefined {
  if (item === null) return "associative list without keys has an element that's a null";
  return typeof item === "object" ? "associative list without keys has an element that's not a scalar" : undefined;
}

/**
 * Returns the canonical form of a scalar. A text that cannot be parsed is returned unchanged: decoding the whole object
 * reports the error.
 */
function canonicalScalar(
  kind: "bytes" | "quantity" | "intOrString" | "time" | "microTime" | "duration",
  value: JsonValue,
): JsonValue {
  if (kind === "quantity" && (typeof value === "number" || typeof value === "bigint"))
    return canonicalQuantity(String(value)) ?? value;
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
