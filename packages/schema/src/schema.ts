// What the rest of the server knows of types: names to runtime types, and the few things one does with a type.
import type { DecodeOptions, DecodeProblem } from "./decode-walk";
import type { JsonObject } from "./json";
import type { ProtobufForm } from "./protobuf/protobuf-form";
import type { RuntimeType, StructType } from "./runtime-type";
import type { Vocabulary } from "./vocabulary/vocabulary";
import type { WireField } from "./wire-message";

export interface DecodeResult {
  readonly value: JsonObject;
  readonly problems: readonly DecodeProblem[];
}

/** The runtime type of one kind in one version. */
export interface ObjectType {
  readonly kind: string;
  /** What the object looks like: for everything that walks objects with their types. */
  readonly struct: StructType;
  /**
   * Takes a parsed body (which it may change and keep) to a canonical object: unknown fields dropped and noted, quantities and
   * times in canonical form, values that the wire omits dropped, those that it always writes added.
   * @throws DecodeError with the field's path and the expected and found types
   */
  decode(body: JsonObject, options?: DecodeOptions): DecodeResult;
  /** How objects travel as protobuf; undefined for kinds that do not, which all custom resources are. */
  readonly protobuf: ProtobufForm | undefined;
  /** Sets the schema's defaults in place. Source: `default` of the schema facts. */
  applyDefaults(object: JsonObject): void;
}

/** One group in one version, as the schema of record has it. */
export interface GroupVersionSchema {
  /** "<group id>/<version>", such as "core/v1" or "rbac/v1": the same in every vocabulary. */
  readonly id: string;
  /** The published name of the group, "" for core. */
  readonly group: string;
  readonly version: string;
  /** The kinds that are objects or lists of objects. */
  readonly kinds: readonly string[];
  readonly since?: string;
  readonly until?: string;
}

export interface Schema {
  readonly vocabulary: Vocabulary;
  /**
   * The type of a kind. Kinds of the meta group that requests and answers of every group use (DeleteOptions, Status,
   * WatchEvent, …) are found in every group version.
   * @param group the published group name, "" for core
   */
  objectType(group: string, version: string, kind: string): ObjectType | undefined;
  /** Any type of the record. @param id "<group id>/<version>" as in GroupVersionSchema, or "runtime", "intstr", "resource", "version" */
  type(id: string, name: string): RuntimeType | undefined;
  /** The protobuf side of a type, by ascending field number; undefined for types that have none. */
  wireFields(id: string, name: string): readonly WireField[] | undefined;
  /** Names of all types of one file of the record. */
  typeNames(id: string): readonly string[];
  /**
   * What the record says to people of a type or of one of its fields; the texts are loaded at the first call.
   * @param field by its JSON name
   */
  description(id: string, type: string, field?: string): string | undefined;
  /** All group versions of the record, served or not. */
  readonly groupVersions: readonly GroupVersionSchema[];
}
