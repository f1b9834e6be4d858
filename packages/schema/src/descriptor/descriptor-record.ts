// Format of the generated descriptor: one record per file of proto/, kept as text until its first use. Values that are
// false, empty or the default are left out. It is written by scripts/schema/descriptor.mjs, which documents the fields.
import type { JsonValue } from "../json/json-value";
import type { PatchStrategy } from "../types/runtime-type";
import type { Vocabulary } from "../vocabulary/vocabulary";

export interface FileRecord {
  /** Id of the group in the vocabulary; absent for files that are not a group version. */
  readonly group?: string;
  readonly version?: string;
  readonly since?: string;
  readonly until?: string;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly enums?: Readonly<Record<string, EnumRecord>>;
  readonly types?: Readonly<Record<string, TypeRecord>>;
}

export interface TypeRecord {
  readonly root?: true;
  readonly list?: true;
  readonly jsonOnly?: true;
  readonly special?: SpecialKind;
  readonly atomic?: true;
  readonly union?: true;
  readonly since?: string;
  readonly until?: string;
  readonly fields?: readonly FieldRecord[];
}

export type SpecialKind =
  | "quantity"
  | "intOrString"
  | "time"
  | "microTime"
  | "timestamp"
  | "duration"
  | "json"
  | "fieldsV1"
  | "rawExtension"
  | "unknown"
  | "patch"
  | "stringList"
  | "schemaOrArray"
  | "schemaOrBool"
  | "schemaOrStringArray";

interface EnumRecord {
  readonly values: readonly string[];
  readonly closed?: true;
  /** First release of the values that are not as old as the enum. */
  readonly since?: Readonly<Record<string, string>>;
}

export interface FieldRecord {
  readonly json: string;
  /** The protobuf name, when it differs from the JSON name. */
  readonly name?: string;
  readonly number: number;
  /** A scalar type of protobuf, a type of this file, or "<file>.<Type>". */
  readonly type: string;
  readonly shape?: "list" | "map";
  readonly inline?: true;
  readonly required?: true;
  /** First and last release that publish the field as required. */
  readonly requiredSince?: string;
  readonly requiredUntil?: string;
  readonly pointer?: true;
  /** Set only when it is not the opposite of `required`. */
  readonly omitEmpty?: boolean;
  readonly omitZero?: true;
  readonly default?: JsonValue;
  readonly relation?: "atomic" | "set" | "map" | "granular";
  readonly keys?: readonly string[];
  readonly patchStrategies?: readonly PatchStrategy[];
  readonly patchMergeKey?: string;
  readonly enum?: string;
  /** First release that publishes the values of a closed enum. */
  readonly enumSince?: string;
  readonly keyEnum?: string;
  readonly discriminator?: true;
  readonly oneOf?: string;
  readonly featureGates?: readonly string[];
  readonly since?: string;
  readonly until?: string;
}

/** Parses the text of a file, and resolves its vocabulary references (`{kind.id}`). */
export function readRecord(text: string, vocabulary: Vocabulary): FileRecord {
  return JSON.parse(resolveReferences(text, vocabulary)) as FileRecord;
}

/** Resolves references. @throws Error for an identifier that the vocabulary does not have */
export function resolveReferences(text: string, vocabulary: Vocabulary): string {
  const tables = vocabulary as unknown as Readonly<Record<string, Readonly<Record<string, string>>>>;
  return text.replace(/\{([A-Za-z]+)\.(\w+)\}/g, (reference, kind: string, id: string) => {
    const name = tables[kind]?.[id];
    if (name === undefined) throw new Error(`the schema refers to ${reference}, which the vocabulary does not have`);
    return name;
  });
}

/** Splits "core/v1.Pod" into file and name. A name without a file belongs to `home`. */
export function splitReference(reference: string, home: string): readonly [file: string, name: string] {
  const dot = reference.lastIndexOf(".");
  return dot < 0 ? [home, reference] : [reference.slice(0, dot), reference.slice(dot + 1)];
}
