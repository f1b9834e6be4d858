// What a structural schema makes of a place for expressions: its type, its views over JSON, and how large it may become.
// Source: the field's typing of schemas: unknown fields are not exposed, nor what holds them.
import { isObject, type JsonObject, type JsonValue, memberOf, type Vocabulary } from "@orch/schema";
import { type Extent, SINGLE } from "../cost/extent";
import { fail } from "../evaluation/evaluation-error";
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
} from "../typing/cel-type";
import type { CelValue } from "../values/cel-value";
import { base64Bytes } from "../functions/encoders";
import { durationOf, timestampOf } from "../values/time-value";
import { escapedProperty } from "./property-name";
import { type Adapt, type ListKind, type Properties, SchemaList, SchemaMap, SchemaObject } from "./schema-value";

/** Bytes of the largest request: nothing in an object is larger. Source: the field's limit. */
export const REQUEST_MAX = 3 * 1024 * 1024;

export interface SchemaType {
  readonly type: CelType;
  readonly adapt: Adapt;
  readonly extent: Extent;
  /** The fewest bytes of JSON that a value of it takes: by them, how many fit in a request. */
  readonly leastBytes: number;
}

export type Markers = Vocabulary["schemaExtensions"];

/** Deeper places have no type: a definition that nests so deep is refused for it. */
const DEPTH_MAX = 100;

/**
 * @param path names the types of objects, so that those of two places are not taken for one
 * @param isRoot of a resource: its kind, apiVersion, name and generateName are known without a schema
 * @returns undefined for a place that expressions cannot see
 */
export function schemaType(
  schema: JsonObject,
  markers: Markers,
  { path = "self", isRoot = false, depth = 0 }: { path?: string; isRoot?: boolean; depth?: number } = {},
): SchemaType | undefined {
  if (depth > DEPTH_MAX) return undefined;
  const made = madeType(schema, markers, { path, isRoot, depth });
  if (made === undefined) return undefined;
  const { adapt } = made;
  return { ...made, adapt: (json) => (json === null ? null : adapt(json)) };
}

function madeType(schema: JsonObject, markers: Markers, at: { path: string; isRoot: boolean; depth: number }): SchemaType | undefined {
  if (memberOf(schema, markers.intOrString) === true) return INT_OR_STRING;
  switch (memberOf(schema, "type")) {
    case "boolean":
      return { type: BOOL, adapt: (json) => (typeof json === "boolean" ? json : mistyped("boolean")), extent: SINGLE, leastBytes: 4 };
    case "integer":
      return { type: INT, adapt: integer, extent: SINGLE, leastBytes: 1 };
    case "number":
      return { type: DOUBLE, adapt: double, extent: SINGLE, leastBytes: 1 };
    case "string":
      return text(schema);
    case "array":
      return list(schema, markers, at);
    case "object":
      return object(schema, markers, at);
    default:
      return undefined;
  }
}

const mistyped = (type: string): never => fail(`invalid data, expected ${type}`);

function integer(json: JsonValue): CelValue {
  if (typeof json === "bigint") return json;
  return typeof json === "number" && Number.isInteger(json) ? BigInt(json) : mistyped("integer");
}

const double = (json: JsonValue): CelValue =>
  typeof json === "number" || typeof json === "bigint" ? Number(json) : mistyped("number");

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

/** Bytes of a code point, at most: lengths of schemas count code points, costs bytes. */
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

/** Of the texts that are listed. */
function longest(schema: JsonObject): number | undefined {
  const values = memberOf(schema, "enum");
  if (!Array.isArray(values) || values.length === 0) return undefined;
  return values.reduce<number>((max, value) => Math.max(max, typeof value === "string" ? Buffer.byteLength(value) : 0), 0);
}

function list(schema: JsonObject, markers: Markers, at: { path: string; depth: number }): SchemaType | undefined {
  const items = memberOf(schema, "items");
  const item = isObject(items) ? inner(items, markers, { path: `${at.path}[]`, depth: at.depth }) : undefined;
  if (item === undefined) return undefined;
  const max = limit(schema, "maxItems") ?? Math.floor((REQUEST_MAX - 2) / (item.leastBytes + 1));
  const kind = listKind(schema, markers);
  return {
    type: listOf(item.type),
    adapt: (json) => (Array.isArray(json) ? new SchemaList(json, item.adapt, kind) : mistyped("array")),
    extent: { min: 0, max, item: item.extent },
    leastBytes: 2,
  };
}

function listKind(schema: JsonObject, markers: Markers): ListKind {
  switch (memberOf(schema, markers.listType)) {
    case "set":
      return { kind: "set" };
    case "map": {
      const keys = memberOf(schema, markers.listMapKeys);
      const names = Array.isArray(keys) ? keys.filter((key) => typeof key === "string").map((key) => escapedProperty(key) ?? key) : [];
      return { kind: "map", keys: names };
    }
    default:
      return { kind: "atomic" };
  }
}

const inner = (schema: JsonObject, markers: Markers, { path, depth }: { path: string; depth: number }): SchemaType | undefined =>
  schemaType(schema, markers, { path, isRoot: memberOf(schema, markers.embeddedResource) === true, depth: depth + 1 });

const NAMES: Extent = { min: 0, max: REQUEST_MAX - 2 };

function object(schema: JsonObject, markers: Markers, at: { path: string; isRoot: boolean; depth: number }): SchemaType | undefined {
  const additional = memberOf(schema, "additionalProperties");
  if (isObject(additional)) {
    const value = inner(additional, markers, { path: `${at.path}{}`, depth: at.depth });
    if (value === undefined) return undefined;
    const max = limit(schema, "maxProperties") ?? Math.floor((REQUEST_MAX - 2) / (value.leastBytes + 6));
    return {
      type: mapOf(STRING, value.type),
      adapt: (json) => (isObject(json) ? new SchemaMap(json, value.adapt) : mistyped("object")),
      extent: { min: 0, max, item: value.extent, key: NAMES },
      leastBytes: 2,
    };
  }
  return listed(schema, markers, at);
}

const NAME = { type: "string" };
const ROOT_PROPERTIES: JsonObject = {
  kind: NAME,
  apiVersion: NAME,
  metadata: { type: "object", properties: { name: NAME, generateName: NAME } },
};

function listed(schema: JsonObject, markers: Markers, at: { path: string; isRoot: boolean; depth: number }): SchemaType {
  const own = memberOf(schema, "properties");
  const properties = { ...(isObject(own) ? own : {}), ...(at.isRoot ? ROOT_PROPERTIES : {}) };
  const required = memberOf(schema, "required");
  const isRequired = new Set(Array.isArray(required) ? required : []);
  const types = new Map<string, CelType>();
  const extents = new Map<string, Extent>();
  const adapts = new Map<string, { readonly name: string; readonly adapt: Adapt }>();
  let leastBytes = 2;
  for (const [name, property] of Object.entries(properties)) {
    const escaped = escapedProperty(name);
    const of = isObject(property) ? inner(property, markers, { path: `${at.path}.${name}`, depth: at.depth }) : undefined;
    if (of === undefined) continue;
    if (isRequired.has(name) && memberOf(property as JsonObject, "default") === undefined) {
      leastBytes += name.length + of.leastBytes + 4;
    }
    // Between backticks a name stands as it is.
    for (const spelt of new Set([escaped ?? name, name])) {
      types.set(spelt, of.type);
      extents.set(spelt, of.extent);
    }
    adapts.set(escaped ?? name, { name, adapt: of.adapt });
  }
  const known = withQuoted(adapts);
  return {
    type: { kind: "object", name: at.path, fields: types },
    adapt: (json) => (isObject(json) ? new SchemaObject(json, known) : mistyped("object")),
    extent: { min: 1, max: 1, fields: extents },
    leastBytes,
  };
}

function withQuoted(properties: Properties): Properties {
  const all = new Map(properties);
  for (const property of properties.values()) if (!all.has(property.name)) all.set(property.name, property);
  return all;
}
