// Small types for tests of merging, in the form of a schema.
import {
  type Field,
  type JsonObject,
  type ListType,
  type MapType,
  type RuntimeType,
  StructObjectType,
  type StructType,
} from "@orch/schema";
import type { ObjectVersions } from "../versioned-change";

export const TEXT: RuntimeType = { kind: "string" };
export const NUMBER: RuntimeType = { kind: "number" };

type Fields = Readonly<Record<string, RuntimeType | readonly [RuntimeType, Partial<Field>]>>;

export function struct(fields: Fields, traits: Partial<StructType> = {}): StructType {
  const made = Object.entries(fields).map(([name, field], index): Field => {
    const [type, more] = isPair(field) ? field : [field, {}];
    return {
      name,
      type,
      index,
      required: false,
      isPointer: true,
      emission: { whenAbsent: "nothing", dropsEmpty: false },
      patchStrategies: [],
      isUnionDiscriminator: false,
      featureGates: [],
      ...more,
    };
  });
  return {
    kind: "struct",
    name: "Sample",
    isRoot: false,
    fields: made,
    fieldByName: new Map(made.map((field) => [field.name, field])),
    relation: "granular",
    isUnion: false,
    keepsUnknownFields: false,
    ...traits,
  };
}

const isPair = (field: Fields[string]): field is readonly [RuntimeType, Partial<Field>] => Array.isArray(field);

export const map = (value: RuntimeType, relation: MapType["relation"] = "granular"): MapType => ({
  kind: "map",
  key: { kind: "string" },
  value,
  relation,
});

export const list = (
  element: RuntimeType,
  relation: ListType["relation"] = "atomic",
  keys: readonly string[] = [],
): ListType => ({ kind: "list", element, relation, keys });

const METADATA = struct({
  name: TEXT,
  uid: TEXT,
  labels: map(TEXT),
  annotations: map(TEXT),
  managedFields: list({ kind: "any" }),
});

/** Returns an object type with the given spec. */
export function objectWith(spec: RuntimeType, traits: Partial<StructType> = {}): StructObjectType {
  const metadata = [METADATA, { emission: { whenAbsent: "zero", dropsEmpty: false } }] as const;
  return new StructObjectType(
    "Sample",
    struct({ kind: TEXT, apiVersion: TEXT, metadata, spec }, { isRoot: true, ...traits }),
  );
}

/** Returns a resource whose versions differ by `convert`; by default only by their names. */
export function versionsOf(
  types: Readonly<Record<string, StructObjectType>>,
  convert: (object: JsonObject, from: string, to: string) => JsonObject = (object) => object,
): ObjectVersions {
  return {
    typeOf: (apiVersion) => (Object.hasOwn(types, apiVersion) ? types[apiVersion] : undefined),
    convert: (object, from, to) => ({ ...convert(object, from, to), apiVersion: to }),
  };
}
