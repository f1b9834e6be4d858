// Merge rules of a strategic merge patch, derived from the schema. Source:
// contributors/devel/sig-api-machinery/strategic-merge-patch.md in kubernetes/community.
import type { Field, RuntimeType, StructType } from "@orch/schema";

export interface PatchRules {
  /** Undefined when the schema does not describe the value: objects then merge and lists are replaced. */
  readonly type: RuntimeType | undefined;
  /** Whether lists merge item by item. */
  readonly mergesList: boolean;
  /** Whether objects are replaced as a whole. */
  readonly replacesObject: boolean;
  /** Field that identifies the items of a merging list of objects. */
  readonly mergeKey: string | undefined;
  /** Whether a patch of an object names all members that stay. */
  readonly retainsKeys: boolean;
}

/** Returns the rules of a member of an object with the rules `owner`. */
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

/** Returns the rules of the items of a list. */
export function rulesOfItems({ type }: PatchRules): PatchRules {
  return type?.kind === "list" ? { ...UNKNOWN, type: type.element } : UNKNOWN;
}

export const rulesOfStruct = (type: StructType): PatchRules => ({ ...UNKNOWN, type });

const UNKNOWN: PatchRules = {
  type: undefined,
  mergesList: false,
  replacesObject: false,
  mergeKey: undefined,
  retainsKeys: false,
};

/** Rules of values that no schema describes. */
export const UNKNOWN_PATCH_RULES = UNKNOWN;

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
      retainsKeys: field.patchStrategies.includes("retainKeys"),
    };
    known.set(field, rules);
  }
  return rules;
}
