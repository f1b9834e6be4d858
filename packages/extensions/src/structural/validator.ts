// Validates values against the schema of a definition. One walk over both finds all errors.
import { type FieldError, field } from "@orch/machinery";
import type { JsonArray, JsonObject, JsonValue } from "@orch/schema";
import { isInt64, isObject, memberOf, partsUpTo } from "@orch/schema";
import type { CheckedNode, LogicCheck } from "./checked-node";
import { embeddedErrors } from "./embedded-resource";
import { keyText, meaningOf } from "./meaning";
import { listBreaches, memberCountBreaches, numberBreaches, textBreaches } from "./value-rules";
import { typeNameOf, type Walk } from "./walk";

/**
 * Number of valid parts of a value, at least 0. Selects the alternative of anyOf or oneOf whose errors are reported.
 */
type Matches = number;

/**
 * Validates a value. Errors are added to the walk.
 * @param old the old value, when it can be correlated and the walk ratchets: an unchanged value has no errors
 */
export function validateValue(node: CheckedNode, value: JsonValue, walk: Walk, old?: JsonValue): Matches {
  if (!walk.spend(1) || walk.isDone) return 0;
  let matches = 0;
  const { type } = node;
  const before = walk.errors.length;
  if (type !== undefined && !isOfType(value, type) && !(value === null && node.isNullable)) {
    walk.wrongType(type, typeNameOf(value));
  }
  // Null is checked only against the type and the enumeration.
  if (node.logic !== undefined && value !== null) matches += validateLogic(node.logic, value, walk);
  if (typeof value === "string") {
    if (node.text !== undefined) textBreaches(node.text, value, walk);
  } else if (typeof value === "number" || typeof value === "bigint") {
    if (node.number !== undefined) numberBreaches(node.number, value, walk);
  } else if (Array.isArray(value)) matches += validateList(node, value, walk, old);
  else if (isObject(value)) matches += validateMembers(node, value, walk, old);
  const { enum: allowed } = node;
  if (allowed !== undefined && walk.spend(sizeOf(value)) && !allowed.isAllowed(value)) {
    walk.add(allowed.error(walk.path(), value === null ? "null" : value));
  }
  if (walk.errors.length > before && old !== undefined && walk.unchanged?.has(node.schema, value, old) === true) {
    walk.errors.length = before;
  }
  return walk.errors.length === before ? matches + 1 : matches;
}

/** Reports whether a value is valid. Stops at the first error. Ignores duplicates in lists of type set or map. */
function isValid(node: CheckedNode, value: JsonValue, walk: Walk): boolean {
  if (!walk.spend(1)) return false;
  const { type, logic, enum: allowed } = node;
  if (type !== undefined && !isOfType(value, type) && !(value === null && node.isNullable)) return false;
  if (allowed !== undefined && (!walk.spend(sizeOf(value)) || !allowed.isAllowed(value))) return false;
  if (typeof value === "string") {
    if (node.text !== undefined && textBreaches(node.text, value, walk, "quiet")) return false;
  } else if (typeof value === "number" || typeof value === "bigint") {
    if (node.number !== undefined && numberBreaches(node.number, value, walk, "quiet")) return false;
  }
  if (Array.isArray(value) && !areItemsValid(node, value, walk)) return false;
  if (isObject(value) && !areMembersValid(node, value, walk)) return false;
  return logic === undefined || value === null || isLogicValid(logic, value, walk);
}

const SIZE_COUNTED = 100_000;
const sizeOf = (value: JsonValue): number =>
  typeof value === "object" && value !== null ? partsUpTo(value, SIZE_COUNTED) : 1;

function isOfType(value: JsonValue, type: string): boolean {
  switch (type) {
    case "integer":
      return isInt64(value);
    case "number":
      return typeof value === "number" || typeof value === "bigint";
    case "integer,string":
      return typeof value === "string" || isInt64(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "string":
    case "boolean":
      return typeof value === type;
    default:
      return true;
  }
}

function validateList(node: CheckedNode, list: JsonArray, walk: Walk, old: JsonValue | undefined): Matches {
  const { list: check } = node;
  listBreaches(check, list, walk);
  const { items, relation } = check;
  if (relation !== undefined) repeatedItems(list, relation === "map" ? check.keys : undefined, walk);
  let matches = 0;
  for (let at = 0; items !== undefined && at < list.length && !walk.isDone; at++) {
    walk.enter(at);
    const item = list[at] as JsonValue;
    matches += validateValue(items, item, walk, old && walk.unchanged?.oldItem(node.schema, item, old));
    walk.leave();
  }
  return matches;
}

function areItemsValid(node: CheckedNode, list: JsonArray, walk: Walk): boolean {
  const { list: check } = node;
  if (listBreaches(check, list, walk, "quiet")) return false;
  const { items } = check;
  return items === undefined || list.every((item) => isValid(items, item, walk));
}

function validateMembers(node: CheckedNode, object: JsonObject, walk: Walk, old: JsonValue | undefined): Matches {
  const { members: check } = node;
  let matches = 0;
  const names = Object.keys(object);
  memberCountBreaches(check, names.length, walk);
  for (const name of check.required) {
    if (memberOf(object, name) !== undefined) matches += 1;
    else walk.add(missing(walk, name));
    if (!walk.spend(1) || walk.isDone) return matches;
  }
  if (check.isResource) walk.embedded.push(...embeddedErrors(object, walk.path(), walk.metadata));
  const before = isObject(old) ? old : undefined;
  for (const name of names) {
    const member = node.property(name) ?? check.additional;
    if (member === undefined) continue;
    walk.enter(name);
    if (member !== "refused") {
      matches +=
        1 + validateValue(member, object[name] as JsonValue, walk, before && memberOf<JsonValue>(before, name));
    } else if (!isMetaOf(check, name)) walk.add(field.forbidden(walk.path(), "is not a property of the schema"));
    walk.leave();
    if (walk.isDone) break;
  }
  return matches;
}

const isMetaOf = ({ isResource }: { readonly isResource: boolean }, name: string): boolean =>
  isResource && (name === "apiVersion" || name === "kind" || name === "metadata");

function missing(walk: Walk, name: string): FieldError {
  walk.enter(name);
  const error = field.required(walk.path());
  walk.leave();
  return error;
}

function areMembersValid(node: CheckedNode, object: JsonObject, walk: Walk): boolean {
  const { members: check } = node;
  if (!walk.spend(check.required.length)) return false;
  for (const name of check.required) if (memberOf(object, name) === undefined) return false;
  if (!check.looksAtAll) return true;
  const names = Object.keys(object);
  if (memberCountBreaches(check, names.length, walk, "quiet")) return false;
  return names.every((name) => {
    const member = node.property(name) ?? check.additional;
    if (member === undefined) return true;
    return member === "refused" ? isMetaOf(check, name) : isValid(member, object[name] as JsonValue, walk);
  });
}

function validateLogic(logic: LogicCheck, value: JsonValue, walk: Walk): Matches {
  const { allOf, anyOf, oneOf, not } = logic;
  let matches = 0;
  if (anyOf.length > 0 && !anyOf.some((each) => isValid(each, value, walk))) {
    denied(walk, "must validate at least one schema (anyOf)");
    explain(anyOf, value, walk);
  }
  if (oneOf.length > 0) {
    const valid = oneOf.filter((each) => isValid(each, value, walk)).length;
    if (valid !== 1) {
      const found = valid === 0 ? "none valid" : `${valid} valid alternatives`;
      denied(walk, `must validate one and only one schema (oneOf). Found ${found}`);
    }
    if (valid === 0) explain(oneOf, value, walk);
  }
  let failed = 0;
  for (const each of allOf) {
    const before = walk.errors.length;
    matches += validateValue(each, value, walk);
    if (walk.errors.length > before) failed += 1;
  }
  if (failed > 0)
    denied(walk, `must validate all the schemas (allOf)${failed === allOf.length ? ". None validated" : ""}`);
  if (not !== undefined && isValid(not, value, walk)) denied(walk, "must not validate the schema (not)");
  return matches;
}

function denied(walk: Walk, rule: string): void {
  const path = walk.path();
  walk.add(field.invalid(path, "", `${JSON.stringify(path)} ${rule}`));
}

/** Adds the errors of the alternative with the most valid parts. */
function explain(ways: readonly CheckedNode[], value: JsonValue, walk: Walk): void {
  let best: { readonly errors: readonly FieldError[]; readonly matches: Matches } | undefined;
  for (const way of ways) {
    let matches = 0;
    const errors = walk.aside(() => {
      matches = validateValue(way, value, walk);
    });
    if (best === undefined || matches > best.matches) best = { errors, matches };
    if (walk.isDone) break;
  }
  for (const error of best?.errors ?? []) walk.add(error);
}

function isLogicValid({ allOf, anyOf, oneOf, not }: LogicCheck, value: JsonValue, walk: Walk): boolean {
  const holds = (each: CheckedNode) => isValid(each, value, walk);
  if (!allOf.every(holds)) return false;
  if (anyOf.length > 0 && !anyOf.some(holds)) return false;
  if (oneOf.length > 0 && oneOf.filter(holds).length !== 1) return false;
  return not === undefined || !holds(not);
}

/** Finds only the duplicate items of lists of type set or map. */
export function findRepeated(node: CheckedNode, value: JsonValue, walk: Walk): void {
  if (typeof value !== "object" || value === null || !walk.spend(1)) return;
  if (Array.isArray(value)) {
    const { relation, keys, items } = node.list;
    if (relation !== undefined) repeatedItems(value, relation === "map" ? keys : undefined, walk);
    if (items === undefined) return;
    for (let at = 0; at < value.length; at++) {
      walk.enter(at);
      findRepeated(items, value[at] as JsonValue, walk);
      walk.leave();
    }
    return;
  }
  const { additional } = node.members;
  for (const name of Object.keys(value)) {
    const member = node.property(name) ?? additional;
    if (member === undefined || member === "refused") continue;
    walk.enter(name);
    findRepeated(member, value[name] as JsonValue, walk);
    walk.leave();
  }
}

/** Reports each duplicate value once, at its second occurrence. A list of type map that has other items is not searched. */
function repeatedItems(list: JsonArray, keys: readonly string[] | undefined, walk: Walk): void {
  const times = new Map<string, number>();
  const odd = keys === undefined ? -1 : list.findIndex((item) => item !== null && !isObject(item));
  if (odd >= 0) {
    const item = list[odd] as JsonValue;
    tell(walk, odd, (path) => field.invalid(path, item, "must be an object for an array of list-type map"));
    return;
  }
  for (let at = 0; at < list.length; at++) {
    const item = list[at] as JsonValue;
    if (!walk.spend(sizeOf(item))) return;
    if (keys !== undefined && !isObject(item)) continue;
    const identity = keys === undefined ? meaningOf(item) : keyText(item as JsonObject, keys);
    const met = times.get(identity);
    if (met === undefined) times.set(identity, 1);
    else if (met === 1) {
      times.set(identity, 2);
      tell(walk, at, (path) => field.duplicate(path, keys === undefined ? item : keysOf(item as JsonObject, keys)));
    }
  }
}

function tell(walk: Walk, at: number, error: (path: string) => FieldError): void {
  walk.enter(at);
  if (walk.repeated.length <= REPEATED_MAX) walk.repeated.push(error(walk.path()));
  walk.leave();
}

const REPEATED_MAX = 1000;

const keysOf = (item: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const value = memberOf(item, key);
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
