// The shape of the generated descriptor: one record for each file of proto/, as text until it is asked for.
// What is false, empty or the rule is left out. Written by scripts/schema/descriptor.mjs, which says what the words mean.
import type { JsonValue } from "./json";
import type { PatchStrategy } from "./runtime-type";
import type { Vocabulary } from "./vocabulary/vocabulary";

export interface FileRecord {
  /** The vocabulary's id of the group; none for the files that are no group version. */
  readonly group?: string;
  readonly version?: string;
  readonly since?: string;
  readonly until?: string;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly enums?: Readonly<Record<string, { readonly values: readonly string[]; readonly closed?: true }>>;
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

export interface FieldRecord {
  readonly json: string;
  /** The protobuf name, where it is not the JSON name. */
  readonly name?: string;
  readonly number: number;
  /** A scalar of protobuf, a type of this file, or "<file>.<Type>". */
  readonly type: string;
  readonly shape?: "list" | "map";
  readonly inline?: true;
  readonly required?: true;
  readonly pointer?: true;
  /** Said only where it is not the opposite of `required`. */
  readonly omitEmpty?: boolean;
  readonly omitZero?: true;
  readonly default?: JsonValue;
  readonly relation?: "atomic" | "set" | "map" | "granular";
  readonly keys?: readonly string[];
  readonly patchStrategies?: readonly PatchStrategy[];
  readonly patchMergeKey?: string;
  readonly enum?: string;
  readonly keyEnum?: string;
  readonly discriminator?: true;
  readonly oneOf?: string;
  readonly featureGates?: readonly string[];
  readonly validations?: readonly string[];
  readonly since?: string;
  readonly until?: string;
}

/** Parses one file's text, with its vocabulary references (`{kind.id}`) resolved. */
export function readRecord(text: string, vocabulary: Vocabulary): FileRecord {
  return JSON.parse(resolveReferences(text, vocabulary)) as FileRecord;
}

/** @throws Error for a reference to an identifier that the vocabulary does not have */
export function resolveReferences(text: string, vocabulary: Vocabulary): string {
  const tables = vocabulary as unknown as Readonly<Record<string, Readonly<Record<string, string>>>>;
  return text.replace(/\{([A-Za-z]+)\.(\w+)\}/g, (reference, kind: string, id: string) => {
    const name = tables[kind]?.[id];
    if (name === undefined) throw new Error(`the schema refers to ${reference}, which the vocabulary does not have`);
    return name;
  });
}

/** "core/v1.Pod" → its file and name; a bare name belongs to `home`. */
export function splitReference(reference: string, home: string): readonly [file: string, name: string] {
  const dot = reference.lastIndexOf(".");
  return dot < 0 ? [home, reference] : [reference.slice(0, dot), reference.slice(dot + 1)];
}
