// The value by which a sorted list compares an object. Source: docs/lists.md, "Order".

import { badRequest, type ServedVersion } from "@orch/machinery";
import { isObject, type JsonValue, parseQuantity, readJson } from "@orch/schema";
import type { ListRequest } from "../contract/operations";
import { scalarAt } from "../objects/member-scan";
import type { StoredEntry } from "../objects/stored-entry";

/** Undefined when the object has no such value. Texts are cut off, which bounds the memory of a sort. */
export type SortKey = boolean | number | string | undefined;

/** Number of UTF-16 units by which texts are compared. */
const COMPARED_MAX = 256;
/** Longer texts are not examined for being a quantity. */
const QUANTITY_MAX = 32;

export type SortOrder = NonNullable<ListRequest["order"]>;

/** Returns the function that reads the key of an entry. */
export function sortKeyReader({ path, version }: SortOrder): (entry: StoredEntry) => SortKey {
  const names = path.map(asWritten);
  // Names and times are texts, also when they look like numbers.
  const hasQuantities = path[0] !== "metadata";
  return (entry) => {
    const json = jsonOf(entry, version);
    const text = scalarAt(json, names);
    const value = text === undefined ? valueAt(readJson(json.toString()), path) : text === "" ? null : readJson(text);
    return keyOf(value, hasQuantities);
  };
}

/** The name as its bytes are in JSON, one unit for each byte. */
const asWritten = (name: string): string => Buffer.from(JSON.stringify(name).slice(1, -1)).toString("latin1");

/** @throws StatusError BadRequest (400) for an object that a webhook must convert first */
function jsonOf(entry: StoredEntry, version: ServedVersion): Buffer {
  if (entry.has(version) || entry.form.byVersion === undefined) return entry.itemSource(version);
  throw badRequest(
    `sortBy: objects are stored in version ${entry.form.stored.version} and converted by a webhook: sort in that version`,
  );
}

function valueAt(object: JsonValue, path: readonly string[]): JsonValue {
  let at: JsonValue = object;
  for (const name of path) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return null;
    at = at[name] as JsonValue;
  }
  return at;
}

function keyOf(value: JsonValue, hasQuantities: boolean): SortKey {
  switch (typeof value) {
    case "boolean":
    case "number":
      return value;
    case "bigint":
      return Number(value);
    case "string":
      return (hasQuantities ? quantityOf(value) : undefined) ?? cut(value);
    default:
      return undefined;
  }
}

function quantityOf(text: string): number | undefined {
  const quantity = text.length > QUANTITY_MAX ? undefined : parseQuantity(text);
  return quantity && Number(quantity.nanos) / NANO;
}

const NANO = 1e9;

/** A slice would keep the whole text in memory, so the part is copied. */
const cut = (text: string): string =>
  text.length <= COMPARED_MAX ? text : Buffer.from(text.slice(0, COMPARED_MAX), "utf16le").toString("utf16le");

/** Compares two keys, in ascending order: booleans, numbers and quantities, texts. Absent values come last. */
export function compareKeys(one: SortKey, other: SortKey, descending: boolean): number {
  if (one === other) return 0;
  if (one === undefined) return 1;
  if (other === undefined) return -1;
  const ascending = rankOf(one) - rankOf(other) || (one < other ? -1 : 1);
  return descending ? -ascending : ascending;
}

function rankOf(key: boolean | number | string): number {
  return typeof key === "boolean" ? 0 : typeof key === "number" ? 1 : 2;
}
