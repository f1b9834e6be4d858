// Struct types that are made while the program runs, for custom resources: nothing is there that nobody gave, and what is empty is not absent.
import type { JsonValue } from "./json";
import type { Emission, Field, RuntimeType, StructType } from "./runtime-type";

/** Of one member of a made struct; see `Field`. */
export interface MadeField {
  readonly name: string;
  readonly type: RuntimeType;
  readonly required?: boolean;
  readonly default?: JsonValue;
  readonly nullable?: boolean;
  readonly structRelation?: "atomic" | "granular";
}

export interface MadeStruct {
  /** "<group>/<version>.<Kind>", and what leads there within. */
  readonly name: string;
  /** Whether it carries apiVersion and kind. Default: no. */
  readonly isRoot?: boolean;
  readonly fields: readonly MadeField[];
  /** Default: granular. */
  readonly relation?: "atomic" | "granular";
  /** Default: no. */
  readonly keepsUnknownFields?: boolean;
  /** Default: no. */
  readonly validatesLater?: boolean;
}

const AS_GIVEN: Emission = { whenAbsent: "nothing", dropsEmpty: false };
const NONE: readonly never[] = [];
const TYPE_META: readonly MadeField[] = [
  { name: "kind", type: { kind: "string" } },
  { name: "apiVersion", type: { kind: "string" } },
];

export function madeStruct(made: MadeStruct): StructType {
  const { name, isRoot = false, relation = "granular", keepsUnknownFields = false, validatesLater = false } = made;
  const fields = inOrder(isRoot ? [...TYPE_META, ...made.fields.filter(isNoTypeMeta)] : made.fields).map(fieldAt);
  const fieldByName = new Map(fields.map((field) => [field.name, field]));
  return {
    kind: "struct",
    name,
    isRoot,
    fields,
    fieldByName,
    relation,
    isUnion: false,
    keepsUnknownFields,
    ...(validatesLater && { validatesLater }),
  };
}

const isNoTypeMeta = ({ name }: MadeField): boolean => TYPE_META.every((each) => each.name !== name);

/** metadata in front of the rest. */
function inOrder(fields: readonly MadeField[]): readonly MadeField[] {
  const [front, rest] = [FRONT, fields.filter(({ name }) => !FRONT.includes(name))];
  return [...front.flatMap((name) => fields.filter((field) => field.name === name)), ...rest];
}

const FRONT = ["kind", "apiVersion", "metadata"];

function fieldAt({ name, type, required = false, structRelation, ...more }: MadeField, index: number): Field {
  return {
    name,
    type,
    index,
    required,
    isPointer: true,
    emission: AS_GIVEN,
    ...(more.default === undefined ? {} : { default: more.default }),
    ...(more.nullable === true && { nullable: true }),
    ...(structRelation === undefined ? {} : { structRelation }),
    patchStrategies: NONE,
    isUnionDiscriminator: false,
    featureGates: NONE,
    validations: NONE,
  };
}
