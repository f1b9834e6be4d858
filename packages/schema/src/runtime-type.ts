// What a value may look like, and how it merges. Built-in types come from the schema of record, custom resources' types from
// their definitions; everything that walks objects (decoding, defaults, apply, patches, OpenAPI, explain) walks these.
import type { JsonObject, JsonValue } from "./json";

export type RuntimeType =
  | StructType
  | MapType
  | ListType
  | StringType
  | IntegerType
  | EitherType
  | { readonly kind: "boolean" }
  | { readonly kind: "number" } // any finite number
  | { readonly kind: "bytes" } // text in base64
  | { readonly kind: "quantity" } // text such as "100m" or "1Gi": see quantity.ts
  | { readonly kind: "intOrString"; readonly bits?: 64 } // an integer, of 32 bits where nothing else is said, or text
  | { readonly kind: "time" } // RFC 3339 in whole seconds
  | { readonly kind: "microTime" } // RFC 3339 with six decimals
  | { readonly kind: "duration" } // text such as "1h30m0s"
  | { readonly kind: "object"; readonly name?: string } // any JSON object, kept as it is; named where the record names it
  | { readonly kind: "any"; readonly name?: string; readonly merges?: true }; // any JSON value, kept as it is, and applied as a whole unless it `merges` member by member

export interface StructType {
  readonly kind: "struct";
  /** "<group>/<version>.<Type>", such as "core/v1.PodSpec"; how errors and documents call a custom type is its maker's affair. */
  readonly name: string;
  /** Carries apiVersion and kind. */
  readonly isRoot: boolean;
  /** In the order in which JSON is written: kind, apiVersion and metadata first. */
  readonly fields: readonly Field[];
  /** All of `fields`, by JSON name. */
  readonly fieldByName: ReadonlyMap<string, Field>;
  /** An atomic struct is replaced as a whole when merged. */
  readonly relation: "atomic" | "granular";
  /** At most one of its members may be set. */
  readonly isUnion: boolean;
  /** Fields that the type does not declare are kept instead of dropped; those that it declares are what they are declared to be. */
  readonly keepsUnknownFields: boolean;
  /** Values that are not what the type says are kept as they came, for the rules of the kind to report; see `fieldAsGiven` in decode.ts. */
  readonly validatesLater?: true;
  /** Whether anything in it has a default, at any depth: who looks for defaults need not look in there. Absent: nobody knows yet. */
  readonly leadsToDefault?: boolean;
  /** What documents publish of it, where its maker knows more than its fields tell. Absent: its fields. */
  readonly published?: PublishedModel;
  readonly since?: string;
  readonly until?: string;
}

/**
 * Made in steps of a few milliseconds, as it may be large.
 * @param reference a schema that refers to a type's model
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
  /** JSON names of the fields that identify an element, when the relation is "map". */
  readonly keys: readonly string[];
  readonly nulls?: ItemNulls;
}

/** What null is as an item of a list or the value of a key. Absent, as in all built-in types: the zero value. */
export type ItemNulls =
  | { readonly are: "values" }
  /** Replaced by the default. Without one an item is left for validation to report, and a key is dropped. */
  | { readonly are: "absent"; readonly default?: JsonValue };

export interface StringType {
  readonly kind: "string";
  readonly values?: EnumValues;
}

/** Values that a string may take. Decoding lets any pass: a wrong one is for validation to report. */
export interface EnumValues {
  readonly name: string;
  readonly values: readonly string[];
  /** No other value is valid; otherwise the list holds the known ones. */
  readonly closed: boolean;
}

export interface IntegerType {
  readonly kind: "integer";
  readonly bits: 32 | 64;
  readonly unsigned: boolean;
}

/** An object of one type, or else a value of another kind. */
export interface EitherType {
  readonly kind: "either";
  readonly object: StructType;
  readonly other: RuntimeType;
}

export type PatchStrategy = "merge" | "retainKeys" | "replace";

export interface Field {
  /** In JSON. */
  readonly name: string;
  readonly type: RuntimeType;
  /** Its place in the owner's `fields`. */
  readonly index: number;
  readonly required: boolean;
  /** Empty and absent are told apart. */
  readonly isPointer: boolean;
  /** Null is a value, and stays. Absent: it is no value, and counts as absent. */
  readonly nullable?: true;
  /** What JSON does with an absent or empty value; see zero-value.ts. */
  readonly emission: Emission;
  readonly default?: JsonValue;
  /** Says for this field what `relation` says for its struct type. */
  readonly structRelation?: "atomic" | "granular";
  readonly patchStrategies: readonly PatchStrategy[];
  readonly patchMergeKey?: string;
  readonly isUnionDiscriminator: boolean;
  /** The union that it is a member of. */
  readonly oneOf?: string;
  readonly featureGates: readonly string[];
  /** Declared rules such as "minimum=0", while not final with stage and release in front: "beta(1.37):minimum=0". */
  readonly validations: readonly string[];
  readonly since?: string;
  readonly until?: string;
}

/**
 * `whenAbsent`: what stands in the canonical object for an absent value: nothing, null, or the type's zero value.
 * `dropsEmpty`: a present but empty value (false, 0, "", [], {}) counts as absent.
 */
export interface Emission {
  readonly whenAbsent: "nothing" | "null" | "zero";
  readonly dropsEmpty: boolean;
}
