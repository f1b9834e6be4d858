import { decodeStruct } from "../decoding/decode";
import { type DecodeOptions, DecodeWalk } from "../decoding/decode-walk";
import { applyDefaults } from "../decoding/defaults";
import type { JsonObject } from "../json/json-value";
import type { ProtobufForm } from "../protobuf/protobuf-form";
import type { StructType } from "../types/runtime-type";
import type { ProtobufForms } from "./protobuf-forms";
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
