// Merge strategy of a type: the part of a runtime type that apply needs, computed once per type. Source: "Server-Side
// Apply" in the Kubernetes documentation, "Merge strategy".
import {
  type Field,
  isEmpty,
  type JsonObject,
  type JsonValue,
  type ListType,
  type RuntimeType,
  type StructType,
} from "@orch/schema";
import { compareElements } from "./element-order";
import { elementJson, fieldElement } from "./path-element";

export type MergeShape =
  | { readonly kind: "leaf" } // a scalar, or a structure that is replaced as a whole
  | { readonly kind: "untracked" } // maintained by the server; not owned by any manager
  | { readonly kind: "deduced" } // decided by the value: objects merge, all others are replaced
  | { readonly kind: "set" } // a list of scalars, each owned separately
  | StructShape
  | MapShape
  | ItemsShape;

export interface StructShape {
  readonly kind: "struct";
  readonly members: ReadonlyMap<string, MemberShape>;
  /** Shape of undeclared fields; undefined when the type does not accept them. */
  readonly others: MergeShape | undefined;
}

export interface MemberShape {
  readonly name: string;
  /** Path element of the member. */
  readonly element: string;
  /** Index among all members of the struct, in path order. */
  readonly place: number;
  readonly shape: MergeShape;
  /** An empty value counts as absent. */
  readonly dropsEmpty: boolean;
  readonly nulls: NullMeaning;
}

/**
 * Meaning of an applied null. value: null itself. refused: null as well, which the rules of the kind refuse or the default
 * replaces. absent: the member is absent.
 */
export type NullMeaning = "value" | "refused" | "absent";

interface MapShape {
  readonly kind: "map";
  readonly value: MergeShape;
  /** Meaning of null as a value of the map. */
  readonly nulls: NullMeaning;
}

/** A list whose items are identified by some of their fields. */
export interface ItemsShape {
  readonly kind: "items";
  readonly item: MergeShape;
  /** Sorted by name. */
  readonly keys: readonly ItemKey[];
}

interface ItemKey {
  readonly name: string;
  /** The name as JSON, as written in path elements. */
  readonly json: string;
  readonly default?: JsonValue;
}

/**
 * Returns the shape of a whole object. Its kind, apiVersion, and server-maintained metadata such as name and
 * resourceVersion are untracked.
 */
export function rootShape(type: StructType): StructShape {
  let shape = roots.get(type);
  if (shape === undefined) {
    shape = new LazyStructShape(type, (field) => {
      if (field.name === "apiVersion" || field.name === "kind") return UNTRACKED;
      return field.name === "metadata" && field.type.kind === "struct" ? metadataShape(field.type) : undefined;
    });
    roots.set(type, shape);
  }
  return shape;
}

/** Shapes of objects that are merged member by member. */
export type ObjectShape = Extract<MergeShape, { readonly kind: "struct" | "map" | "deduced" }>;

/**
 * Returns the shape of a member.
 * @returns undefined for a member that the type does not declare
 */
export function memberShape(shape: ObjectShape, name: string): MergeShape | undefined {
  switch (shape.kind) {
    case "struct":
      return shape.members.get(name)?.shape ?? shape.others;
    case "map":
      return shape.value;
    case "deduced":
      return shape;
  }
}

/** Reports whether a member is a declared field of a struct, as opposed to an entry that a client added. */
export const isDeclared = (shape: ObjectShape, name: string): boolean =>
  shape.kind === "struct" && shape.members.has(name);

/** Returns the meaning of null as the value of a member. */
export function nullMeaning(shape: ObjectShape, name: string): NullMeaning {
  switch (shape.kind) {
    case "struct":
      return shape.members.get(name)?.nulls ?? (shape.others === undefined ? "absent" : "value");
    case "map":
      return shape.nulls;
    case "deduced":
      return "value";
  }
}

/** Returns the path element of a member. */
export function memberElement(shape: ObjectShape, name: string): string {
  return (shape.kind === "struct" ? shape.members.get(name)?.element : undefined) ?? fieldElement(name);
}

/** Returns the declared members that are present in a value, in path order. */
export function membersInOrder({ members }: StructShape, value: JsonObject): readonly MemberShape[] {
  const found: MemberShape[] = [];
  const areFew = members.size <= FEW_MEMBERS;
  for (const name in value) {
    const member = members.get(name);
    if (member === undefined) continue;
    // A small struct uses insertion sort by place.
    let at = found.length;
    for (; areFew && at > 0 && (found[at - 1] as MemberShape).place > member.place; at--)
      found[at] = found[at - 1] as MemberShape;
    found[at] = member;
  }
  return areFew ? found : found.sort((one, other) => one.place - other.place);
}

const FEW_MEMBERS = 64;

/**
 * Reports whether a value counts as absent. Map keys are present whatever their value: null stands for the zero value.
 */
export function countsAsAbsent(shape: ObjectShape, name: string, value: JsonValue): boolean {
  switch (shape.kind) {
    case "struct":
      if (value === null) return (shape.members.get(name)?.nulls ?? "absent") === "absent";
      return shape.members.get(name)?.dropsEmpty === true && isEmpty(value);
    case "map":
    case "deduced":
      return false;
  }
}

export type ListShape = Extract<MergeShape, { readonly kind: "leaf" | "set" | "items" }>;

const LEAF = { kind: "leaf" } as const satisfies MergeShape;
const SET = { kind: "set" } as const satisfies MergeShape;
const UNTRACKED = { kind: "untracked" } as const satisfies MergeShape;
const DEDUCED = { kind: "deduced" } as const satisfies MergeShape;

/**
 * Metadata fields that are never tracked. Source:
 * staging/src/k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager/stripmeta.go.
 */
const UNTRACKED_METADATA: ReadonlySet<string> = new Set([
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "clusterName",
  "generation",
  "managedFields",
  "resourceVersion",
]);

const metadataShape = (type: StructType): StructShape =>
  new LazyStructShape(type, (field) => (UNTRACKED_METADATA.has(field.name) ? UNTRACKED : undefined));

const roots = new WeakMap<StructType, StructShape>();
const structs = new WeakMap<StructType, StructShape>();
const lists = new WeakMap<ListType, ItemsShape>();

/** Struct shape whose members are computed on first access, as types may be recursive. */
class LazyStructShape implements StructShape {
  readonly kind = "struct";
  readonly others: MergeShape | undefined;
  private readonly type: StructType;
  private readonly exception: (field: Field) => MergeShape | undefined;
  private madeMembers: ReadonlyMap<string, MemberShape> | undefined;

  constructor(type: StructType, exception: (field: Field) => MergeShape | undefined = () => undefined) {
    this.type = type;
    this.exception = exception;
    this.others = type.keepsUnknownFields || type.acceptsUnknownFields === true ? DEDUCED : undefined;
  }

  get members(): ReadonlyMap<string, MemberShape> {
    this.madeMembers ??= new Map(
      this.type.fields
        .map((field) => ({ field, name: field.name, element: fieldElement(field.name) }))
        .sort((one, other) => compareElements(one.element, other.element))
        .map(({ field, name, element }, place) => [name, { name, element, place, ...this.memberOf(field) }]),
    );
    return this.madeMembers;
  }

  private memberOf(field: Field): Pick<MemberShape, "shape" | "dropsEmpty" | "nulls"> {
    const shape = this.exception(field) ?? shapeOf(field.type, field);
    const otherwise = this.type.validatesLater === true ? "refused" : "absent";
    return { shape, dropsEmpty: field.emission.dropsEmpty, nulls: field.nullable === true ? "value" : otherwise };
  }
}

function shapeOf(type: RuntimeType, field?: Field): MergeShape {
  switch (type.kind) {
    case "struct":
      return (field?.structRelation ?? type.relation) === "atomic" ? LEAF : structShape(type);
    case "map":
      return type.relation === "atomic"
        ? LEAF
        : { kind: "map", value: shapeOf(type.value), nulls: type.nulls?.are === "values" ? "value" : "absent" };
    case "list":
      return listShape(type);
    case "any":
      return type.merges === true ? DEDUCED : LEAF;
    default:
      return LEAF;
  }
}

function structShape(type: StructType): StructShape {
  let shape = structs.get(type);
  if (shape === undefined) {
    shape = new LazyStructShape(type);
    structs.set(type, shape);
  }
  return shape;
}

/** Returns how a list merges: as a set, as keyed items, or as one value. */
export function listShape(type: ListType): ListShape {
  if (type.relation === "atomic") return LEAF;
  if (type.relation === "set") return SET;
  let shape = lists.get(type);
  if (shape === undefined) {
    shape = itemsShape(type);
    lists.set(type, shape);
  }
  return shape;
}

function itemsShape({ element, keys }: ListType): ItemsShape {
  const fields = element.kind === "struct" ? element.fieldByName : undefined;
  return {
    kind: "items",
    item: shapeOf(element),
    keys: [...keys].sort().map((name) => {
      const value = fields?.get(name)?.default;
      const key = { name, json: elementJson(name) };
      return value === undefined ? key : { ...key, default: value };
    }),
  };
}
