// A built-in type with all its defaults. Those of the schema come first, because conditions may depend on them.

import type { DefaultRule, DefaultRules, Features } from "@orch/apis-model";
import type {
  DecodeOptions,
  DecodeResult,
  JsonObject,
  ObjectType,
  ProtobufForm,
  StructType,
  Vocabulary,
} from "@orch/schema";
import { defaultingOf } from "./defaulting";

export class DefaultingType implements ObjectType {
  readonly kind: string;
  readonly struct: StructType;
  private readonly type: ObjectType;
  private readonly ofKind: DefaultRules | undefined;
  private readonly vocabulary: Vocabulary;
  private readonly features: Features;
  private defaulting: DefaultRule | undefined;

  constructor(
    type: ObjectType,
    ofKind: DefaultRules | undefined,
    { vocabulary, features }: { readonly vocabulary: Vocabulary; readonly features: Features },
  ) {
    this.kind = type.kind;
    this.struct = type.struct;
    this.type = type;
    this.ofKind = ofKind;
    this.vocabulary = vocabulary;
    this.features = features;
  }

  get protobuf(): ProtobufForm | undefined {
    return this.type.protobuf;
  }

  decode(body: JsonObject, options?: DecodeOptions): DecodeResult {
    return this.type.decode(body, options);
  }

  /** The walk is built at the first write. */
  applyDefaults(object: JsonObject): void {
    this.type.applyDefaults(object);
    this.defaulting ??= defaultingOf(this.struct, this.ofKind, this.features);
    this.defaulting(object, this.vocabulary);
  }
}
