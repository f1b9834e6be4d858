// Struct types created at run time for custom resources: nothing is added that was not given, and empty values are not
// absent.
import type { JsonValue } from "../json/json-value";
import type { Emission, Field, PublishedModel, RuntimeType, StructType } from "./runtime-type";

/** A field of such a struct; see `Field`. */
export interface DynamicField {
  readonly name: string;
  readonly type: RuntimeType;
  readonly required?: boolean;
  readonly default?: JsonValue;
  readonly nullable?: boolean;
  readonly dropsAppliedNull?: boolean;
  readonly structRelation?: "atomic" | "granular";
}

export interface DynamicStruct {
  /** "<group>/<version>.<Kind>", followed by the path within it. */
  readonly name: string;
  /** Whether it has apiVersion and kind. Default: false. */
  readonly isRoot?: boolean;
  /** The fields, or a function called at the first access: definitions are large, and most of them are never used. */
  readonly fields: readonly DynamicField[] | (() => readonly DynamicField[]);
  /** Default: granular. */
  readonly relation?: "atomic" | "granular";
  /** Default: false. */
  readonly keepsUnknownFields?: boolean;
  /** Default: false. */
  readonly acceptsUnknownFields?: boolean;
  /** Default: false. */
  readonly validatesLater?: boolean;
  /** Default: unknown. */
  readonly leadsToDefault?: boolean;
  readonly published?: PublishedModel;
}

const AS_GIVEN: Emission = { whenAbsent: "nothing", dropsEmpty: false };
const NONE: readonly never[] = [];
const TYPE_META: readonly DynamicField[] = [
  { name: "kind", type: { kind: "string" } },
  { name: "apiVersion", type: { kind: "string" } },
];

export const dynamicStruct = (made: DynamicStruct): StructType => new DynamicStructType(made);

class DynamicStructType implements StructType {
  readonly kind = "struct";
  readonly name: string;
  readonly isRoot: boolean;
  readonly relation: "atomic" | "granular";
  readonly isUnion = false;
  readonly keepsUnknownFields: boolean;
  declare readonly acceptsUnknownFields?: true;
  declare readonly validatesLater?: true;
  declare readonly leadsToDefault?: boolean;
  declare readonly published?: PublishedModel;
  private readonly given: DynamicStruct["fields"];
  private madeFields: readonly Field[] | undefined;
  private madeByName: ReadonlyMap<string, Field> | undefined;

  constructor({ name, isRoot = false, relation = "granular", keepsUnknownFields = false, ...made }: DynamicStruct) {
    this.name = name;
    this.isRoot = isRoot;
    this.relation = relation;
    this.keepsUnknownFields = keepsUnknownFields;
    if (made.acceptsUnknownFields === true) this.acceptsUnknownFields = true;
    if (made.validatesLater === true) this.validatesLater = true;
    if (made.leadsToDefault !== undefined) this.leadsToDefault = made.leadsToDefault;
    if (made.published !== undefined) this.published = made.published;
    this.given = made.fields;
  }

  get fields(): readonly Field[] {
    this.madeFields ??= this.make(typeof this.given === "function" ? this.given() : this.given);
    return this.madeFields;
  }

  get fieldByName(): ReadonlyMap<string, Field> {
    this.madeByName ??= new Map(this.fields.map((field) => [field.name, field]));
    return this.madeByName;
  }

  private make(given: readonly DynamicField[]): readonly Field[] {
    return inOrder(this.isRoot ? [...TYPE_META, ...given.filter(isNoTypeMeta)] : given).map(fieldAt);
  }
}

const isNoTypeMeta = ({ name }: DynamicField): boolean => TYPE_META.every((each) => each.name !== name);

/** Returns the fields with metadata first. */
function inOrder(fields: readonly DynamicField[]): readonly DynamicField[] {
  if (!fields.some(({ name }) => FRONT.includes(name))) return fields;
  const rest = fields.filter(({ name }) => !FRONT.includes(name));
  return [...FRONT.flatMap((name) => fields.filter((field) => field.name === name)), ...rest];
}

const FRONT = ["kind", "apiVersion", "metadata"];

function fieldAt({ name, type, required = false, structRelation, ...more }: DynamicField, index: number): Field {
  return {
    name,
    type,
    index,
    required,
    isPointer: true,
    emission: AS_GIVEN,
    ...(more.default === undefined ? {} : { default: more.default }),
    ...(more.nullable === true && { nullable: true }),
    ...(more.dropsAppliedNull === true && { dropsAppliedNull: true }),
    ...(structRelation === undefined ? {} : { structRelation }),
    patchStrategies: NONE,
    isUnionDiscriminator: false,
    featureGates: NONE,
  };
}
