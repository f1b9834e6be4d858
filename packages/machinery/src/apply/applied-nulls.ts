// Applies nulls that a manager sends where null is a value. Merging keeps a struct, map or list that null is applied
// to, and withdrawal removes the manager's own fields from it. When no other manager owns any of the rest, null
// replaces the value.
import { isObject, type JsonArray, type JsonObject, type JsonValue, memberOf, setMember } from "@orch/schema";
import { type FieldSet, intersection, unionOfAll } from "./field-set";
import { itemElement } from "./list-item";
import type { Owner } from "./managed-fields";
import {
  type ItemsShape,
  type MergeShape,
  memberElement,
  memberShape,
  type NullMeaning,
  nullMeaning,
  type ObjectShape,
  type StructShape,
} from "./merge-shape";
import { holdsNull } from "./value-paths";
import { type ObjectVersions, VersionedChange } from "./versioned-change";

/**
 * Replaces values by the nulls applied to them where no other manager owns fields inside the value.
 * @param shape shape of the whole object
 * @param wanted the object after merging and withdrawing, in `apiVersion`
 * @param applied the configuration that the manager applies, in the same version
 * @param others owners that keep what they own
 * @returns a new object, or `wanted` itself when no null replaces a value
 */
export function withAppliedNulls(
  shape: StructShape,
  wanted: JsonObject,
  applied: JsonObject,
  {
    apiVersion,
    others,
    versions,
  }: { readonly apiVersion: string; readonly others: readonly Owner[]; readonly versions: ObjectVersions },
): JsonObject {
  if (!holdsNull(applied)) return wanted;
  const kept = unionOfAll(others.map((owner) => (owner.apiVersion === apiVersion ? owner.fields : undefined)));
  const result = nullMembers(shape, wanted, applied, kept);
  if (result === wanted) return wanted;
  // Owners in another version have other paths: nothing is replaced when the change would remove any of their fields.
  const change = new VersionedChange(versions, apiVersion, wanted, result);
  const takesFrom = (owner: Owner) =>
    owner.apiVersion !== apiVersion && intersection(owner.fields, change.in(owner.apiVersion)?.removed) !== undefined;
  return others.some(takesFrom) ? wanted : result;
}

function nullMembers(
  shape: ObjectShape,
  object: JsonObject,
  applied: JsonObject,
  kept: FieldSet | undefined,
): JsonObject {
  let result: JsonObject | undefined;
  for (const name of Object.keys(applied)) {
    const member = memberShape(shape, name);
    if (member === undefined || member.kind === "untracked") continue;
    const [value, given] = [memberOf<JsonValue>(object, name), applied[name] as JsonValue];
    const inside = kept?.[memberElement(shape, name)];
    const next =
      given === null ? nullInPlace(value, nullMeaning(shape, name), inside) : nullParts(member, value, given, inside);
    if (next === value || next === undefined) continue;
    result ??= { ...object };
    setMember(result, name, next);
  }
  return result ?? object;
}

function nullInPlace(
  value: JsonValue | undefined,
  nulls: NullMeaning,
  kept: FieldSet | undefined,
): JsonValue | undefined {
  if (nulls === "absent" || kept !== undefined) return value;
  // A value that null cannot replace is kept while it has fields, none of which has an owner.
  return nulls === "value" || value === undefined || hasNoParts(value) ? null : value;
}

const hasNoParts = (value: JsonValue): boolean =>
  typeof value !== "object" || value === null || Object.keys(value).length === 0;

function nullParts(
  shape: MergeShape,
  value: JsonValue | undefined,
  applied: JsonValue,
  kept: FieldSet | undefined,
): JsonValue | undefined {
  switch (shape.kind) {
    case "leaf":
    case "untracked":
    case "set":
      return value;
    case "struct":
    case "map":
    case "deduced":
      return isObject(value) && isObject(applied) ? nullMembers(shape, value, applied, kept) : value;
    case "items":
      return Array.isArray(value) && Array.isArray(applied) ? nullInItems(shape, value, applied, kept) : value;
  }
}

function nullInItems(shape: ItemsShape, items: JsonArray, applied: JsonArray, kept: FieldSet | undefined): JsonArray {
  const given = new Map(applied.filter(holdsNull).map((item) => [itemElement(shape, item), item]));
  if (given.size === 0) return items;
  let isSame = true;
  const result = items.map((item) => {
    const element = itemElement(shape, item);
    const said = given.get(element);
    const next = said === undefined ? item : (nullParts(shape.item, item, said, kept?.[element]) ?? item);
    isSame &&= next === item;
    return next;
  });
  return isSame ? items : result;
}
