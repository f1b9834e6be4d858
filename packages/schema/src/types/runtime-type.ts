// Runtime types: the possible values and their merge rules. Built-in types come from the built-in schema, types of
// custom resources from their definitions. Decoding, defaulting, apply, patches, OpenAPI and explain all use them.
import type { JsonObject, JsonValue } from "../json/json-value";

export type RuntimeType =
  | StructType
  | MapType
  | ListType
  | StringType
  | IntegerType
  | EitherType
  | { readonly kind: "boolean" }
  | { readonly kind: "number" } // any finite number
  | { readonly kind: "bytes" } // base64 text
  | { readonly kind: "quantity" } // text such as "100m" or "1Gi": see quantity.ts
  | { readonly kind: "intOrString"; readonly bits?: 64 } // an integer, of 32 bits by default, or text
  | { readonly kind: "time" } // RFC 3339 in whole seconds
  | { readonly kind: "microTime" } // RFC 3339 with six decimals
  | { readonly kind: "duration" } // text such as "1h30m0s"
  | { readonly kind: "object"; readonly name?: string } // documented as an object; any JSON value is kept, and read by the owner of the field
  | { readonly kind: "any"; readonly name?: string; readonly merges?: true }; // any JSON value, kept as it is, and applied as a whole unless it `merges` member by member

export interface StructType {
  readonly kind: "struct";
  /**
   * "<group>/<version>.<Type>", such as "core/v1.PodSpec". Custom types choose their own names for errors and
   * documents.
   */
  readonly name: string;
  /** Has apiVersion and kind. */
  readonly isRoot: boolean;
  /** Fields in JSON order: kind, apiVersion and metadata first. */
  readonly fields: readonly Field[];
  /** The fields by JSON name. */
  readonly fieldByName: ReadonlyMap<string, Field>;
  /** An atomic struct is replaced as a whole when merged. */
  readonly relation: "atomic" | "granular";
  /** At most one member may be set. */
  readonly isUnion: boolean;
  /** Undeclared fields are kept instead of pruned. Declared fields keep their types. */
  readonly keepsUnknownFields: boolean;
  /** Undeclared fields may be applied. Their manager owns them, and decoding prunes them. */
  readonly acceptsUnknownFields?: true;
  /** Values of a wrong type are kept for validation to report; see `fieldAsGiven` in decode.ts. */
  readonly validatesLater?: true;
  /** Whether the type contains a default at any depth. False lets defaulting skip it. Absent: unknown. */
  readonly leadsToDefault?: boolean;
  /** OpenAPI schema, when it contains more than the fields. Absent: derived from the fields. */
  readonly published?: PublishedModel;
  readonly since?: string;
  readonly until?: string;
}

/**
 * Builds the model in steps of a few milliseconds, because it may be large.
 * @param reference returns a reference to a type's model
 */
export type PublishedModel = (
  version: "v2" | "v3",
  reference: (type: RuntimeType) => JsonObject,
) => Generator<undefined, JsonObject>;

export interface MapType {
  readonly kind: "map";
  readonly key: StringType;
  readonly value: RuntimeType;
  readonly relation: "atomic" | "granular";
  readonly nulls?: ItemNulls;
}

export interface ListType {
  readonly kind: "list";
  readonly element: RuntimeType;
  readonly relation: "atomic" | "set" | "map";
  /** JSON names of the key fields, when the relation is "map". */
  readonly keys: readonly string[];
  /** Whether documents leave out the relation. */
  readonly isUnmarked?: true;
  readonly nulls?: ItemNulls;
}

/** Meaning of null as an item of a list or the value of a key. Absent, as in all built-in types: the zero value. */
export type ItemNulls =
  | { readonly are: "values" }
  /**
   * Replaced by the default. Without one, an item is kept for validation to report, and a key is dropped. A key of an
   * applied configuration is dropped only if `evenApplied`, and kept for validation otherwise.
   */
  | { readonly are: "absent"; readonly default?: JsonValue; readonly evenApplied?: boolean };

export interface StringType {
  readonly kind: "string";
  readonly values?: EnumValues;
}

/** Values of a string. Decoding accepts any value; validation reports wrong ones. */
export interface EnumValues {
  readonly name: string;
  readonly values: readonly string[];
  /** No other value is valid; otherwise the list contains the known ones. */
  readonly closed: boolean;
}

export interface IntegerType {
  readonly kind: "integer";
  readonly bits: 32 | 64;
  readonly unsigned: boolean;
}

/** An object of one type, or a value of another kind. */
export interface EitherType {
  readonly kind: "either";
  readonly object: StructType;
  readonly other: RuntimeType;
}

export type PatchStrategy = "merge" | "retainKeys" | "replace";

export interface Field {
  /** JSON name. */
  readonly name: string;
  readonly type: RuntimeType;
  /** Position in the owner's `fields`. */
  readonly index: number;
  readonly required: boolean;
  /** Empty and absent are distinct. */
  readonly isPointer: boolean;
  /** Null is a value and is kept. Absent: null counts as absent. */
  readonly nullable?: true;
  /** An applied null is absent as well, instead of being kept for validation to report: the field has no type. */
  readonly dropsAppliedNull?: true;
  /** JSON encoding of an absent or empty value; see zero-value.ts. */
  readonly emission: Emission;
  readonly default?: JsonValue;
  /** Overrides the `relation` of the struct type for this field. */
  readonly structRelation?: "atomic" | "granular";
  /** Relation of a granular map or of bytes, which documents state. */
  readonly publishedRelation?: "atomic" | "granular";
  readonly patchStrategies: readonly PatchStrategy[];
  readonly patchMergeKey?: string;
  readonly isUnionDiscriminator: boolean;
  /** Union that the field is a member of. */
  readonly oneOf?: string;
  readonly featureGates: readonly string[];
  readonly since?: string;
  readonly until?: string;
}

/**
 * `whenAbsent`: the canonical object's value for an absent one: nothing, null, or the type's zero value. `dropsEmpty`:
 * an empty value (false, 0, "", [], {}) counts as absent.
 */
export interface Emission {
  readonly whenAbsent: "nothing" | "null" | "zero";
  readonly dropsEmpty: boolean;
}
