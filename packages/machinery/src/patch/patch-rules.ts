// What the schema says of merging one value: the rules that a strategic merge patch goes by. Source: facts, strategic-merge.md.
import type { Field, RuntimeType, StructType } from "@orch/schema";

export interface PatchRules {
  /** Undefined where the schema knows nothing: maps then merge and lists are replaced. */
  readonly type: RuntimeType | undefined;
  /** Lists merge item by item. */
  readonly mergesList: boolean;
  /** Objects are replaced as a whole. */
  readonly replacesObject: boolean;
  /** The field that tells the items of a merging list of objects apart. */
  readonly mergeKey: string | undefined;
}

/** The rules for a member of an object that goes by `owner`. */
export function rulesOfMember(owner: PatchRules, name: string): PatchRules {
  const { type } = owner;
  if (type === undefined) return UNKNOWN;
  switch (type.kind) {
    case "struct":
      return rulesOfField(type.fieldByName.get(name));
    case "map":
      return { ...UNKNOWN, type: type.value };
    case "either":
      return rulesOfField(type.object.fieldByName.get(name));
    default:
      return UNKNOWN;
  }
}

/** The rules for the items of a list that goes by `owner`. */
export function rulesOfItems({ type }: PatchRules): PatchRules {
  return type?.kind === "list" ? { ...UNKNOWN, type: type.element } : UNKNOWN;
}

export const rulesOfStruct = (type: StructType): PatchRules => ({ ...UNKNOWN, type });

const UNKNOWN: PatchRules = { type: undefined, mergesList: false, replacesObject: false, mergeKey: undefined };

const known = new WeakMap<Field, PatchRules>();

function rulesOfField(field: Field | undefined): PatchRules {
  if (field === undefined) return UNKNOWN;
  let rules = known.get(field);
  if (rules === undefined) {
    rules = {
      type: field.type,
      mergesList: field.patchStrategies.includes("merge"),
      replacesObject: field.patchStrategies.includes("replace"),
      mergeKey: field.patchMergeKey,
    };
    known.set(field, rules);
  }
  return rules;
}
