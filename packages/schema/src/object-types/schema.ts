// Interface of the schema: runtime types by name, and the operations on them.

import type { DecodeOptions } from "../decoding/decode-walk";
import type { WireField } from "../descriptor/wire-message";
import type { DecodeProblem } from "../json/decode-problem";
import type { JsonObject } from "../json/json-value";
import type { ProtobufForm } from "../protobuf/protobuf-form";
import type { RuntimeType, StructType } from "../types/runtime-type";
import type { Vocabulary } from "../vocabulary/vocabulary";

export interface DecodeResult {
  readonly value: JsonObject;
  readonly problems: readonly DecodeProblem[];
}

/** Runtime type of a kind in one version. */
export interface ObjectType {
  readonly kind: string;
  /** Struct type of the object. */
  readonly struct: StructType;
  /**
   * Decodes a parsed body, which it may modify and keep, into a canonical object: unknown fields are pruned and
   * recorded, quantities and times are canonical, values that JSON omits are dropped, and those that are always written
   * are added.
   * @throws DecodeError with the field's path and the expected and found types
   */
  decode(body: JsonObject, options?: DecodeOptions): DecodeResult;
  /** Protobuf form; undefined for kinds without one, such as all custom resources. */
  readonly protobuf: ProtobufForm | undefined;
  /** Sets the defaults of the schema in place. */
  applyDefaults(object: JsonObject): void;
}

/** A group version of the built-in schema. */
export interface GroupVersionSchema {
  /** "<group id>/<version>", such as "core/v1" or "rbac/v1", the same in every vocabulary. */
  readonly id: string;
  /** Published name of the group, "" for core. */
  readonly group: string;
  readonly version: string;
  /** Kinds of objects and of lists of objects. */
  readonly kinds: readonly string[];
  readonly since?: string;
  readonly until?: string;
}

export interface Schema {
  readonly vocabulary: Vocabulary;
  /**
   * Returns the type of a kind. Kinds of the meta group that are used by every group (DeleteOptions, Status,
   * WatchEvent, …) exist in every group version.
   * @param group published group name, "" for core
   */
  objectType(group: string, version: string, kind: string): ObjectType | undefined;
  /**
   * Returns any type of the record.
   * @param id "<group id>/<version>" as in GroupVersionSchema, or "runtime", "intstr", "resource", "version"
   */
  type(id: string, name: string): RuntimeType | undefined;
  /** Returns the protobuf fields of a type in ascending order; undefined for types without a protobuf form. */
  wireFields(id: string, name: string): readonly WireField[] | undefined;
  /** Returns the names of all types of a file of the record. */
  typeNames(id: string): readonly string[];
  /**
   * Returns the description of a type or of one of its fields. The texts are loaded at the first call.
   * @param field JSON name
   */
  description(id: string, type: string, field?: string): string | undefined;
  /** All group versions of the schema, served or not. */
  readonly groupVersions: readonly GroupVersionSchema[];
}
