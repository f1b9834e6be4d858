// Creates runtime types from the descriptor, each at its first use.

import type { EnumValues, Field, ListType, RuntimeType, StringType, StructType } from "../types/runtime-type";
import { emissionOf } from "../types/zero-value";
import { compareReleases } from "../values/release";
import { type FieldRecord, type FileRecord, splitReference, type TypeRecord } from "./descriptor-record";

/** Returns the record of a file, parsed at the first use; undefined for an unknown file. */
export type RecordSource = (file: string) => FileRecord | undefined;

const STRING: StringType = { kind: "string" };
const STRING_LIST: ListType = { kind: "list", element: STRING, relation: "atomic", keys: [], isUnmarked: true };

const SCALARS: Readonly<Record<string, RuntimeType>> = {
  string: STRING,
  bool: { kind: "boolean" },
  bytes: { kind: "bytes" },
  double: { kind: "number" },
  int32: { kind: "integer", bits: 32, unsigned: false },
  int64: { kind: "integer", bits: 64, unsigned: false },
  uint32: { kind: "integer", bits: 32, unsigned: true },
};

export class TypeLoader {
  private readonly records: RecordSource;
  private readonly release: string | undefined;
  private readonly types = new Map<string, RuntimeType>();
  private readonly enums = new Map<string, EnumValues>();

  constructor(records: RecordSource, release?: string) {
    this.records = records;
    this.release = release;
  }

  /** Returns a type. @param reference "<file>.<Type>", such as "core/v1.Pod"; aliases are followed */
  type(reference: string): RuntimeType | undefined {
    const known = this.types.get(reference);
    if (known !== undefined) return known;
    const [file, name] = splitReference(reference, "");
    const source = this.records(file);
    const alias = own(source?.aliases, name);
    const record = own(source?.types, name);
    const type = alias !== undefined ? this.type(alias) : record && this.make(file, name, record);
    if (type !== undefined) this.types.set(reference, type);
    return type;
  }

  private make(file: string, name: string, record: TypeRecord): RuntimeType {
    const { special } = record;
    if (special === undefined) {
      return new LazyStruct(`${file}.${name}`, record, (owner) => this.ownFields(file, owner));
    }
    switch (special) {
      case "quantity":
      case "intOrString":
      case "time":
      case "microTime":
      case "duration":
        return { kind: special };
      case "timestamp":
        return { kind: "microTime" };
      case "fieldsV1":
        return { kind: "object", name: `${file}.${name}` };
      case "json":
      case "rawExtension":
      case "unknown":
      case "patch":
        return { kind: "any", name: `${file}.${name}` };
      case "stringList":
        return STRING_LIST;
      case "schemaOrArray": {
        const object = this.schemaProps(file);
        return { kind: "either", object, other: { kind: "list", element: object, relation: "atomic", keys: [] } };
      }
      case "schemaOrBool":
        return { kind: "either", object: this.schemaProps(file), other: { kind: "boolean" } };
      case "schemaOrStringArray":
        return { kind: "either", object: this.schemaProps(file), other: STRING_LIST };
    }
  }

  private schemaProps(file: string): StructType {
    return this.struct(`${file}.JSONSchemaProps`);
  }

  private struct(reference: string): StructType {
    const type = this.type(reference);
    if (type?.kind !== "struct") throw new Error(`the schema has no message ${reference}`);
    return type;
  }

  /** Returns the fields of a struct, with inline messages replaced by their fields. */
  private ownFields(file: string, record: TypeRecord): UnplacedField[] {
    return (record.fields ?? []).flatMap((field) =>
      field.inline ? [...this.struct(absolute(field.type, file)).fields] : [this.field(file, field)],
    );
  }

  private field(file: string, record: FieldRecord): UnplacedField {
    const type = this.fieldType(file, record);
    const structRelation = type.kind === "struct" && record.relation !== undefined ? record.relation : undefined;
    return {
      name: record.json,
      type,
      required: record.required === true && this.isIn({ since: record.requiredSince, until: record.requiredUntil }),
      isPointer: record.pointer === true,
      emission: emissionOf(type, {
        isPointer: record.pointer === true,
        omitEmpty: record.omitEmpty ?? record.required !== true,
        omitZero: record.omitZero === true || this.isToCome(record),
      }),
      patchStrategies: record.patchStrategies ?? NONE,
      isUnionDiscriminator: record.discriminator === true,
      featureGates: record.featureGates ?? NONE,
      ...(structRelation === "atomic" || structRelation === "granular" ? { structRelation } : {}),
      ...publishedRelation(type, record),
      ...(record.default !== undefined ? { default: record.default } : {}),
      ...(record.patchMergeKey !== undefined ? { patchMergeKey: record.patchMergeKey } : {}),
      ...(record.oneOf !== undefined ? { oneOf: record.oneOf } : {}),
      ...(record.since !== undefined ? { since: record.since } : {}),
      ...(record.until !== undefined ? { until: record.until } : {}),
    };
  }

  /** Reports whether the release, by default the newest one, is within the bounds. */
  private isIn({
    since,
    until,
  }: {
    readonly since?: string | undefined;
    readonly until?: string | undefined;
  }): boolean {
    if (this.release === undefined) return until === undefined;
    return (
      (since === undefined || compareReleases(since, this.release) <= 0) &&
      (until === undefined || compareReleases(this.release, until) <= 0)
    );
  }

  private isToCome({ since }: FieldRecord): boolean {
    return this.release !== undefined && since !== undefined && compareReleases(since, this.release) > 0;
  }

  private fieldType(file: string, record: FieldRecord): RuntimeType {
    const element = this.elementType(file, record);
    const { relation } = record;
    if (record.shape === "list") return listType(element, record);
    if (record.shape === "map") {
      const key = record.keyEnum === undefined ? STRING : this.enumerated(absolute(record.keyEnum, file));
      return { kind: "map", key, value: element, relation: relation === "atomic" ? "atomic" : "granular" };
    }
    return element;
  }

  private elementType(file: string, record: FieldRecord): RuntimeType {
    if (record.enum !== undefined) {
      return this.isIn({ since: record.enumSince }) ? this.enumerated(absolute(record.enum, file)) : STRING;
    }
    const scalar = SCALARS[record.type];
    if (scalar !== undefined) return scalar;
    const type = this.type(absolute(record.type, file));
    if (type === undefined) throw new Error(`the schema has no type ${record.type}, named in ${file}`);
    return type;
  }

  private enumerated(reference: string): StringType {
    let values = this.enums.get(reference);
    if (values === undefined) {
      const [file, name] = splitReference(reference, "");
      const record = own(this.records(file)?.enums, name);
      if (record === undefined) throw new Error(`the schema has no enumeration ${reference}`);
      const { since = {}, closed = false } = record;
      const served = record.values.filter((value) => this.isIn({ since: own(since, value) }));
      values = { name: reference, values: served, closed };
      this.enums.set(reference, values);
    }
    return { kind: "string", values };
  }
}

/**
 * Returns a list type. Without a relation, the patch strategy determines it. Source: Kubernetes documentation,
 * "Server-Side Apply", "Merge strategy".
 */
/** Returns the relation that documents state although it has no effect: granular maps, and bytes as atomic lists. */
function publishedRelation(type: RuntimeType, { relation }: FieldRecord): Pick<Field, "publishedRelation"> {
  if (type.kind === "map" && relation === "granular") return { publishedRelation: relation };
  return type.kind === "bytes" && relation === "atomic" ? { publishedRelation: relation } : {};
}

function listType(element: RuntimeType, record: FieldRecord): ListType {
  const { relation, keys = NONE, patchMergeKey } = record;
  if (relation === "set" || relation === "map") return { kind: "list", element, relation, keys };
  const merges = relation === undefined && record.patchStrategies?.includes("merge") === true;
  if (!merges) return { kind: "list", element, relation: "atomic", keys: NONE };
  if (patchMergeKey === undefined) return { kind: "list", element, relation: "set", keys: NONE };
  return { kind: "list", element, relation: "map", keys: [patchMergeKey] };
}

const NONE: readonly never[] = [];

type UnplacedField = Omit<Field, "index">;

/**
 * A struct whose fields are created at the first access, so that types may contain themselves and unused ones cost
 * nothing.
 */
class LazyStruct implements StructType {
  readonly kind = "struct";
  readonly name: string;
  readonly isRoot: boolean;
  readonly relation: "atomic" | "granular";
  readonly isUnion: boolean;
  readonly keepsUnknownFields = false;
  readonly since?: string;
  readonly until?: string;
  private readonly record: TypeRecord;
  private readonly makeFields: (record: TypeRecord) => UnplacedField[];
  private ownFields: readonly Field[] | undefined;
  private byName: ReadonlyMap<string, Field> | undefined;

  constructor(name: string, record: TypeRecord, makeFields: (record: TypeRecord) => UnplacedField[]) {
    this.name = name;
    this.isRoot = record.root === true;
    this.relation = record.atomic ? "atomic" : "granular";
    this.isUnion = record.union === true;
    if (record.since !== undefined) this.since = record.since;
    if (record.until !== undefined) this.until = record.until;
    this.record = record;
    this.makeFields = makeFields;
  }

  get fields(): readonly Field[] {
    this.ownFields ??= inOrder([...(this.isRoot ? TYPE_META : NONE), ...this.makeFields(this.record)]);
    return this.ownFields;
  }

  get fieldByName(): ReadonlyMap<string, Field> {
    this.byName ??= new Map(this.fields.map((field) => [field.name, field]));
    return this.byName;
  }
}

const TYPE_META: readonly UnplacedField[] = ["kind", "apiVersion"].map((name) => ({
  name,
  type: STRING,
  required: false,
  isPointer: false,
  emission: { whenAbsent: "nothing", dropsEmpty: true },
  patchStrategies: NONE,
  isUnionDiscriminator: false,
  featureGates: NONE,
}));

/** Returns kind, apiVersion and metadata, then the rest in its order. */
function inOrder(fields: readonly UnplacedField[]): readonly Field[] {
  const first = ["kind", "apiVersion", "metadata"].flatMap((name) => fields.filter((field) => field.name === name));
  return [...first, ...fields.filter((field) => !first.includes(field))].map((field, index) => ({ ...field, index }));
}

function absolute(reference: string, file: string): string {
  return reference.includes(".") ? reference : `${file}.${reference}`;
}

function own<Value>(record: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}
