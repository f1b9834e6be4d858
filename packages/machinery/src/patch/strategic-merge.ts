// Applies a strategic merge patch: a merge patch that takes list merge keys from the schema and supports directives.
// Source: contributors/devel/sig-api-machinery/strategic-merge-patch.md in kubernetes/community.
import {
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  memberOf,
  type StructType,
  setMember,
} from "@orch/schema";
import { BAD_REQUEST_TEXT, badRequest, unprocessable } from "../errors/request-errors";
import { unclassified } from "../errors/server-errors";
import { inPatchOrder, requireSameOrder } from "./element-order";
import { DELETE_FROM_LIST, isDirective, PATCH, readDirectives, unknownMarker } from "./merge-directives";
import { itemKey, mergeObjectList } from "./merge-object-list";
import { newList, newObject, withoutMarker } from "./new-parts";
import { type PatchRules, rulesOfItems, rulesOfMember, rulesOfStruct } from "./patch-rules";

/**
 * Applies a strategic merge patch.
 * @param live the live object in the version of `type`; not modified
 * @param patch the parsed body; not modified
 * @returns a new object that shares unchanged parts with `live`
 * @throws StatusError BadRequest (400) for a malformed directive, Invalid (422) for lists of lists and violated
 * `$retainKeys`, unclassified (500) for any other directive that cannot be applied
 */
export function applyStrategicMergePatch(type: StructType, live: JsonObject, patch: JsonValue): JsonObject {
  if (!isObject(patch)) throw badRequest(BAD_REQUEST_TEXT.strategicMergeDocument());
  return mergeObject(rulesOfStruct(type), live, patch);
}

function mergeObject(rules: PatchRules, live: JsonObject, patch: JsonObject): JsonObject {
  const marker = patch[PATCH];
  if (marker === "replace") return withoutMarker(patch);
  if (marker === "delete") return {};
  if (marker !== undefined) throw unknownMarker(marker);
  const { retainKeys, deletions, orders } = readDirectives(patch);
  const result = retainKeys === undefined ? { ...live } : retained(live, patch, retainKeys);
  for (const [name, values] of deletions) {
    const list = memberOf(result, name);
    if (Array.isArray(list)) setMember(result, name, withoutItems(list, values));
  }
  for (const name of Object.keys(patch)) {
    if (isDirective(name)) continue;
    const value = patch[name] as JsonValue;
    if (value === null) delete result[name];
    else {
      const given = { live: memberOf(result, name), value, order: orders.get(name) };
      setMember(result, name, mergeMember(rulesOfMember(rules, name), given));
    }
  }
  for (const [name, order] of orders) {
    const list = memberOf(result, name);
    if (!Object.hasOwn(patch, name) && Array.isArray(list)) {
      const { mergeKey } = rulesOfMember(rules, name);
      setMember(result, name, inPatchOrder({ merged: list, live: list, order }, mergeKey));
    }
  }
  return result;
}

interface MemberPatch {
  readonly live: JsonValue | undefined;
  readonly value: JsonValue;
  readonly order: JsonArray | undefined;
}

function mergeMember(rules: PatchRules, { live, value, order }: MemberPatch): JsonValue {
  if (isObject(value)) {
    if (rules.replacesObject) return withoutMarker(value);
    return isObject(live) ? mergeObject(rules, live, value) : newObject(value);
  }
  if (!Array.isArray(value) || !rules.mergesList) return value;
  if (Array.isArray(live)) return mergeList(rules, { live, patch: value, order });
  const added = newList(value);
  if (order === undefined) return added;
  requireSameOrder(value, order, rules.mergeKey);
  return inPatchOrder({ merged: added, live: [], order }, rules.mergeKey);
}

function mergeList(
  rules: PatchRules,
  {
    live,
    patch,
    order,
  }: { readonly live: JsonArray; readonly patch: JsonArray; readonly order: JsonArray | undefined },
): JsonArray {
  const items = [...live, ...patch];
  if (items.some((item) => Array.isArray(item))) throw unprocessable();
  const objects = items.filter(isObject).length;
  if (objects !== 0 && objects !== items.length) throw unclassified("a merged list mixes objects with other values");
  if (order !== undefined) requireSameOrder(patch, order, rules.mergeKey);
  const itemRules = rulesOfItems(rules);
  const merged =
    objects === 0
      ? distinct(items)
      : mergeObjectList(
          { live: live as JsonObject[], patch: patch as JsonObject[] },
          {
            mergeKey: rules.mergeKey,
            mergeItem: (found, item) => (found === undefined ? newObject(item) : mergeObject(itemRules, found, item)),
          },
        );
  return inPatchOrder({ merged, live, order: order ?? patch }, objects === 0 ? undefined : rules.mergeKey);
}

const distinct = (items: JsonArray): JsonArray => [...new Set(items)];

function withoutItems(list: JsonArray, values: JsonArray): JsonArray {
  const gone = new Set(values.map(itemKey));
  return list.filter((item) => !gone.has(itemKey(item)));
}

function retained(live: JsonObject, patch: JsonObject, names: readonly JsonValue[]): JsonObject {
  const kept: ReadonlySet<JsonValue> = new Set(names);
  for (const key of Object.keys(patch)) {
    const isNamed = kept.has(key) || (key.startsWith(DELETE_FROM_LIST) && kept.has(key.slice(DELETE_FROM_LIST.length)));
    if (!isNamed && !isDirective(key) && patch[key] !== null) throw unprocessable();
  }
  return Object.fromEntries(Object.entries(live).filter(([key]) => kept.has(key)));
}
