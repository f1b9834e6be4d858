import { decodeStruct } from "./decode";
import { type DecodeOptions, DecodeWalk } from "./decode-walk";
import { applyDefaults } from "./defaults";
import type { JsonObject } from "./json";
import type { ProtobufForm } from "./protobuf/protobuf-form";
import type { ProtobufForms } from "./protobuf/protobuf-forms";
import type { StructType } from "./runtime-type";
import type { DecodeResult, ObjectType } from "./schema";

/** Object type of any struct, built-in or from a custom resource definition. */
export class StructObjectType implements ObjectType {
  readonly kind: string;
  readonly struct: StructType;

  constructor(kind: string, struct: StructType) {
    this.kind = kind;
    this.struct = struct;
  }

  get protobuf(): ProtobufForm | undefined {
    return undefined;
  }

  decode(body: JsonObject, options?: DecodeOptions): DecodeResult {
    const walk = new DecodeWalk(options);
    const value = decodeStruct(walk, this.struct, body);
    return { value, problems: walk.problems };
  }

  applyDefaults(object: JsonObject): void {
    applyDefaults(this.struct, object);
  }
}

/** Object type of the built-in schema. Most have a protobuf form. */
export class BuiltInObjectType extends StructObjectType {
  private readonly forms: ProtobufForms;
  private foundForm: ProtobufForm | "none" | undefined;

  constructor(kind: string, struct: StructType, forms: ProtobufForms) {
    super(kind, struct);
    this.forms = forms;
  }

  override get protobuf(): ProtobufForm | undefined {
    this.foundForm ??= this.forms.formOf(this.struct) ?? "none";
    return this.foundForm === "none" ? undefined : this.foundForm;
  }
}
