// What the rest of the server knows of types: names to runtime types, and the few things one does with a type.
import type { JsonObject } from "./json";

/** Something odd in a body that decoding tolerates; the caller decides whether to ignore, warn or refuse (`fieldValidation`). */
export interface DecodeProblem {
  readonly kind: "unknownField" | "duplicateField";
  /** As Status causes spell paths: `spec.containers[0].image`, `metadata.labels[a/b]`. */
  readonly path: string;
}

export interface DecodeResult {
  readonly value: JsonObject;
  readonly problems: readonly DecodeProblem[];
}

/** The runtime type of one kind in one version. */
export interface ObjectType {
  readonly kind: string;
  /**
   * Takes a parsed body (which it may change and keep) to a canonical object: unknown fields dropped and noted, quantities and
   * times in canonical form, values that the wire omits dropped.
   * @throws DecodeError with the field's path and the expected and found types
   */
  decode(body: JsonObject): DecodeResult;
  /** Sets the schema's defaults in place. Source: `default` of the schema facts. */
  applyDefaults(object: JsonObject): void;
}

export interface Schema {
  /** @param group the published group name, "" for core */
  objectType(group: string, version: string, kind: string): ObjectType | undefined;
}
