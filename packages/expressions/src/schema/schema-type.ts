// CEL view of a structural schema: the type of a location, views over its JSON, and its maximum size. Fields unknown to
// the schema, and values that contain them, are not accessible. Source: "Validation rules" in the Kubernetes
// documentation of CustomResourceDefinitions.
import { bigIntOf, isInt64, isObject, type JsonObject, type JsonValue, memberOf, type Vocabulary } from "@orch/schema";
import { type Extent, SINGLE } from "../cost/extent";
import { base64Bytes } from "../functions/encoders";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  TIMESTAMP,
} from "../values/cel-type";
import type { CelValue } from "../values/cel-value";
import { fail } from "../values/evaluation-error";
import { durationOf, timestampOf } from "../values/time-value";
import { escapedProperty } from "./record-types";
import { type Adapt, type ListKind, type Property, SchemaList, SchemaMap, SchemaObject } from "./schema-value";

/**
 * Maximum bytes of a request body, and so of anything in an object. Source: MaxRequestSizeBytes in
 * staging/src/k8s.io/apiserver/pkg/cel/limits.go.
 */
export const REQUEST_MAX = 3 * 1024 * 1024;

export interface SchemaType {
  readonly type: CelType;
  readonly adapt: Adapt;
  readonly extent: Extent;
  /** Minimum bytes of a value as JSON, which determine how many fit in a request. */
  readonly leastBytes: number;
}

export type Markers = Vocabulary["schemaExtensions"];

/** Maximum depth; deeper locations have no type, and such a definition is refused elsewhere. */
const DEPTH_MAX = 100;

/** The types of one definition. Each node of its schema is read once, and has the same type wherever it is used. */
export class SchemaTypes {
  private readonly known = new Map<JsonObject, SchemaType | undefined>();

  constructor(private readonly markers: Markers) {}

  /**
   * Returns the type of a location.
   * @param isResource whether kind, apiVersion, metadata.name and metadata.generateName are accessible without being
   * declared
   * @returns undefined for a location that is not accessible to expressions
   */
  of(schema: JsonObject, isResource = false, depth = 0): SchemaType | undefined {
    if (this.known.has(schema)) return this.known.get(schema);
    const made = depth > DEPTH_MAX ? undefined : this.made(schema, { isResource, depth });
    const nullable = made === undefined ? undefined : { ...made, adapt: orNull(made.adapt) };
    this.known.set(schema, nullable);
    return nullable;
  }

  private below(schema: unknown, depth: number): SchemaType | undefined {
    return isObject(schema)
      ? this.of(schema, memberOf(schema, this.markers.embeddedResource) === true, depth + 1)
      : undefined;
  }

  private made(
    schema: JsonObject,
    { isResource, depth }: { isResource: boolean; depth: number },
  ): SchemaType | undefined {
    if (memberOf(schema, this.markers.intOrString) === true) return INT_OR_STRING;
    switch (memberOf(schema, "type")) {
      case "boolean":
        return BOOLEAN;
      case "integer":
        return INTEGER;
      case "number":
        return NUMBER;
      case "string":
        return text(schema);
      case "array":
        return this.list(schema, depth);
      case "object": {
        const additional = memberOf(schema, "additionalProperties");
        return isObject(additional) ? this.map(schema, depth) : this.object(schema, { isResource, depth });
      }
      default:
        return undefined;
    }
  }

  private list(schema: JsonObject, depth: number): SchemaType | undefined {
    const item = this.below(memberOf(schema, "items"), depth);
    if (item === undefined) return undefined;
    const max = limit(schema, "maxItems") ?? Math.floor((REQUEST_MAX - 2) / (item.leastBytes + 1));
    const kind = listKind(schema, this.markers);
    return {
      type: listOf(item.type),
      adapt: (json) => (Array.isArray(json) ? new SchemaList(json, item.adapt, kind) : mistyped("array")),
      extent: { min: 0, max, item: item.extent },
      leastBytes: 2,
    };
  }

  private map(schema: JsonObject, depth: number): SchemaType | undefined {
    const value = this.below(memberOf(schema, "additionalProperties"), depth);
    if (value === undefined) return undefined;
    const max = limit(schema, "maxProperties") ?? Math.floor((REQUEST_MAX - 2) / (value.leastBytes + 6));
    return {
      type: mapOf(STRING, value.type),
      adapt: (json) => (isObject(json) ? new SchemaMap(json, value.adapt) : mistyped("object")),
      extent: { min: 0, max, item: value.extent, key: NAMES },
      leastBytes: 2,
    };
  }

  private object(schema: JsonObject, { isResource, depth }: { isResource: boolean; depth: number }): SchemaType {
    const own = memberOf(schema, "properties");
    const properties = { ...(isObject(own) ? own : {}), ...(isResource ? ROOT_PROPERTIES : {}) };
    const required = memberOf(schema, "required");
    const isRequired = new Set(Array.isArray(required) ? required : []);
    const types = new Map<string, CelType>();
    const extents = new Map<string, Extent>();
    const known: Map<string, Property> = new Map();
    let leastBytes = 2;
    for (const [name, property] of Object.entries(properties)) {
      const of = this.below(property, depth);
      if (of === undefined) continue;
      const hasDefault = isObject(property) && memberOf(property, "default") !== undefined;
      if (isRequired.has(name) && !hasDefault) leastBytes += name.length + of.leastBytes + 4;
      // An identifier in backticks is the unescaped name.
      for (const spelt of new Set([escapedProperty(name) ?? name, name])) {
        types.set(spelt, of.type);
        extents.set(spelt, of.extent);
        known.set(spelt, { name, adapt: of.adapt });
      }
    }
    return {
      type: { kind: "object", name: "object", fields: types },
      adapt: (json) => (isObject(json) ? new SchemaObject(json, known) : mistyped("object")),
      extent: { min: 1, max: 1, fields: extents },
      leastBytes,
    };
  }
}

const orNull =
  (adapt: Adapt): Adapt =>
  (json) =>
    json === null ? null : adapt(json);

const mistyped = (type: string): never => fail(`invalid data, expected ${type}`);

function integer(json: JsonValue): CelValue {
  if (Number.isSafeInteger(json)) return BigInt(json as number);
  return isInt64(json) ? bigIntOf(json) : mistyped("integer");
}

function double(json: JsonValue): CelValue {
  return typeof json === "number" || typeof json === "bigint" ? Number(json) : mistyped("number");
}

const BOOLEAN: SchemaType = {
  type: BOOL,
  adapt: (json) => (typeof json === "boolean" ? json : mistyped("boolean")),
  extent: SINGLE,
  leastBytes: 4,
};
const INTEGER: SchemaType = { type: INT, adapt: integer, extent: SINGLE, leastBytes: 1 };
const NUMBER: SchemaType = { type: DOUBLE, adapt: double, extent: SINGLE, leastBytes: 1 };
const INT_OR_STRING: SchemaType = {
  type: DYN,
  adapt: (json) => (typeof json === "string" ? json : integer(json)),
  extent: { min: 0, max: REQUEST_MAX - 2 },
  leastBytes: 1,
};

interface TextFormat {
  readonly type: CelType;
  readonly of: (text: string) => CelValue | undefined;
  readonly max: number;
  readonly leastBytes: number;
}

const FORMATS: Readonly<Record<string, TextFormat>> = {
  byte: { type: BYTES, of: base64Bytes, max: REQUEST_MAX - 2, leastBytes: 2 },
  duration: { type: DURATION, of: durationOf, max: 32, leastBytes: 4 },
  date: { type: TIMESTAMP, of: (day) => timestampOf(`${day}T00:00:00Z`), max: 12, leastBytes: 12 },
  "date-time": { type: TIMESTAMP, of: timestampOf, max: 35, leastBytes: 22 },
};

/** Maximum bytes of a code point: schemas limit lengths in code points, costs count bytes. */
const CODE_POINT_BYTES = 4;

function text(schema: JsonObject): SchemaType {
  const name = memberOf(schema, "format");
  const format = typeof name === "string" && Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  const length = limit(schema, "maxLength");
  if (format !== undefined) {
    const max = format.type === BYTES && length !== undefined ? length : format.max;
    const adapt: Adapt = (json) =>
      (typeof json === "string" ? format.of(json) : undefined) ?? mistyped(`a string of format ${name}`);
    return { type: format.type, adapt, extent: { min: 0, max }, leastBytes: format.leastBytes };
  }
  const max = length === undefined ? (longest(schema) ?? REQUEST_MAX - 2) : length * CODE_POINT_BYTES;
  return {
    type: STRING,
    adapt: (json) => (typeof json === "string" ? json : mistyped("string")),
    extent: { min: 0, max },
    leastBytes: 2,
  };
}

function limit(schema: JsonObject, keyword: string): number | undefined {
  const value = memberOf(schema, keyword);
  return typeof value === "number" || typeof value === "bigint" ? Math.max(0, Number(value)) : undefined;
}

/** Returns the maximum length of the enum values. */
function longest(schema: JsonObject): number | undefined {
  const values = memberOf(schema, "enum");
  if (!Array.isArray(values) || values.length === 0) return undefined;
  return values.reduce<number>(
    (max, value) => Math.max(max, typeof value === "string" ? Buffer.byteLength(value) : 0),
    0,
  );
}

function listKind(schema: JsonObject, markers: Markers): ListKind {
  switch (memberOf(schema, markers.listType)) {
    case "set":
      return { kind: "set" };
    case "map": {
      const keys = memberOf(schema, markers.listMapKeys);
      const names = Array.isArray(keys)
        ? keys.filter((key) => typeof key === "string").map((key) => escapedProperty(key) ?? key)
        : [];
      return { kind: "map", keys: names };
    }
    default:
      return { kind: "atomic" };
  }
}

/**
 * Extent of map keys. Kubernetes estimates keys as empty, because rules on keys would otherwise exceed the cost limit.
 * The cost of a run includes their actual length.
 */
const NAMES: Extent = { min: 0, max: 0 };

const NAME = { type: "string" };
const ROOT_PROPERTIES: JsonObject = {
  kind: NAME,
  apiVersion: NAME,
  metadata: { type: "object", properties: { name: NAME, generateName: NAME } },
};
