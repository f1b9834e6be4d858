// The one place where a definition's schema becomes a type. For now: any object with metadata, kept as it is.
import type { field } from "@orch/machinery";
import { type JsonObject, madeStruct, type Schema, type StructType, type Vocabulary } from "@orch/schema";

type FieldError = ReturnType<typeof field.required>;

export interface CompileOptions {
  readonly vocabulary: Vocabulary;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Every field that the schema does not name is kept. */
  readonly preserveUnknownFields?: boolean;
  /** Where the type of metadata is found. */
  readonly types: Schema;
}

export interface CompiledSchema {
  readonly type: StructType;
  /** @param old absent on create */
  validate(object: JsonObject, old: JsonObject | undefined): readonly FieldError[];
}

/** @param schema `openAPIV3Schema` of one version; undefined where there is none */
export function compileSchema(
  _schema: JsonObject | undefined,
  { group, version, kind, types }: CompileOptions,
): CompiledSchema {
  const metadata = types.type("meta/v1", "ObjectMeta");
  if (metadata === undefined) throw new Error("the schema has no ObjectMeta");
  const name = `${group}/${version}.${kind}`;
  const fields = [{ name: "metadata", type: metadata }];
  return { type: madeStruct({ name, isRoot: true, keepsUnknownFields: true, fields }), validate: () => [] };
}
