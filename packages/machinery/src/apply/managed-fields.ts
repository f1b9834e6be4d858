// Who owns which fields of an object: `metadata.managedFields`, read and written. Source: resource-api, "managedFields entry"; facts,
// ssa.md "Manager identity".
import { isObject, type JsonArray, type JsonObject, type JsonValue } from "@orch/schema";
import { metaOf } from "../objects/object-meta";
import { sameJson } from "../objects/same-json";
import type { FieldSet } from "./field-set";
import { type FieldSetReading, readFieldsV1 } from "./fields-v1";

/** One manager's fields. */
export interface Owner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  /** In which `fields` are expressed. */
  readonly apiVersion: string;
  /** "" for the object itself. */
  readonly subresource: string;
  /** RFC 3339 in UTC with whole seconds; "" where nobody knows. */
  readonly time: string;
  readonly fields: FieldSet;
}

/** Tells the owners of an object apart. An applier has one entry, an updater one for each version. */
export function ownerKey({ manager, operation, apiVersion, subresource }: Omit<Owner, "fields" | "time">): string {
  return `${operation} ${operation === "Apply" ? "" : apiVersion} ${subresource} ${manager}`;
}

/** The entries of an object as they are; undefined where it has none. */
export function managedFieldsOf(object: JsonObject | undefined): JsonArray | undefined {
  const entries = object && (metaOf(object).managedFields as JsonValue | undefined);
  return Array.isArray(entries) && entries.length > 0 ? entries : undefined;
}

/** Whether two lists of entries tell of the same owners and fields, and of other times. */
export function differInTimes(some: JsonArray | undefined, others: JsonArray | undefined): boolean {
  if (some === undefined || others === undefined || some.length !== others.length) return false;
  const timeOf = (entry: JsonValue | undefined) => (isObject(entry) ? entry["time"] : undefined);
  if (some.every((entry, at) => timeOf(entry) === timeOf(others[at]))) return false;
  const timeless = (entry: JsonValue | undefined): JsonValue =>
    isObject(entry) ? { ...entry, time: "" } : (entry ?? null);
  return some.every((entry, at) => sameJson(timeless(entry), timeless(others[at])));
}

/**
 * Entries without fields are left out; of several with one identity the last counts.
 * @throws SyntaxError for entries that hold no field sets
 */
export function readOwners(entries: JsonArray | undefined, how: FieldSetReading = {}): readonly Owner[] {
  const owners: Owner[] = [];
  for (const entry of entries ?? []) {
    const owner = readOwner(entry, how);
    if (owner !== undefined) owners.push(owner);
  }
  return owners.length < 2 ? owners : [...new Map(owners.map((owner) => [ownerKey(owner), owner])).values()];
}

function readOwner(entry: JsonValue, how: FieldSetReading): Owner | undefined {
  if (!isObject(entry)) throw new SyntaxError("no entry of managedFields");
  if (entry["fieldsType"] !== "FieldsV1")
    throw new SyntaxError(`unknown fieldsType ${JSON.stringify(entry["fieldsType"])}`);
  const { operation } = entry;
  if (operation !== "Apply" && operation !== "Update")
    throw new SyntaxError(`unknown operation ${JSON.stringify(operation)}`);
  const apiVersion = text(entry["apiVersion"]);
  if (apiVersion === "") throw new SyntaxError("an entry without apiVersion");
  const fields = readFieldsV1(entry["fieldsV1"], how);
  if (fields === undefined) return undefined;
  return {
    manager: text(entry["manager"]),
    operation,
    apiVersion,
    subresource: text(entry["subresource"]),
    time: text(entry["time"]),
    fields,
  };
}

/** Appliers first, then by time, manager and version. @returns undefined for none: the object then has no entries at all */
export function writeOwners(owners: readonly Owner[]): JsonArray | undefined {
  return owners.length === 0 ? undefined : [...owners].sort(compareOwners).map(entryOf);
}

function compareOwners(one: Owner, other: Owner): number {
  return (
    compare(one.operation, other.operation) ||
    compare(one.time, other.time) ||
    compare(one.manager, other.manager) ||
    compare(one.apiVersion, other.apiVersion) ||
    compare(one.subresource, other.subresource)
  );
}

/** Member by member: what is added to a spread costs ten times as much. */
function entryOf({ manager, operation, apiVersion, time, fields, subresource }: Owner): JsonObject {
  const entry: JsonObject = { manager, operation, apiVersion };
  if (time !== "") entry["time"] = time;
  entry["fieldsType"] = "FieldsV1";
  entry["fieldsV1"] = fields as unknown as JsonObject;
  if (subresource !== "") entry["subresource"] = subresource;
  return entry;
}

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

const text = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");
