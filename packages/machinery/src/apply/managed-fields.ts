// Reads and writes `metadata.managedFields`. Source: "Server-Side Apply" in the Kubernetes documentation, "Field
// management".
import { isObject, type JsonArray, type JsonObject, type JsonValue } from "@orch/schema";
import { sameJson } from "../json/same-json";
import { metaOf } from "../objects/object-meta";
import type { FieldSet } from "./field-set";
import { type FieldSetReading, readFieldsV1 } from "./fields-v1";

/** One managedFields entry: a manager and the fields it owns. */
export interface Owner {
  /** Empty when unknown. */
  readonly manager: string;
  /** "Apply" or "Update". Another text comes only from a client, and validation of the metadata refuses it. */
  readonly operation: string;
  /** Version in which `fields` is expressed. */
  readonly apiVersion: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  /** RFC 3339 in UTC with whole seconds; empty when unknown. */
  readonly time: string;
  readonly fields: FieldSet;
}

/**
 * Returns the identity of an owner. An applier has one entry per subresource, an updater one per version and
 * subresource.
 */
export function ownerKey({ manager, operation, apiVersion, subresource }: Omit<Owner, "fields" | "time">): string {
  return `${operation} ${operation === "Apply" ? "" : apiVersion} ${subresource} ${manager}`;
}

/** Returns the unparsed entries of an object, or undefined when there are none. */
export function managedFieldsOf(object: JsonObject | undefined): JsonArray | undefined {
  const entries = object && (metaOf(object).managedFields as JsonValue | undefined);
  return Array.isArray(entries) && entries.length > 0 ? entries : undefined;
}

/** Reports whether two lists of entries differ only in their times. */
export function differInTimes(some: JsonArray | undefined, others: JsonArray | undefined): boolean {
  if (some === undefined || others === undefined || some.length !== others.length) return false;
  const timeOf = (entry: JsonValue | undefined) => (isObject(entry) ? entry["time"] : undefined);
  if (some.every((entry, at) => timeOf(entry) === timeOf(others[at]))) return false;
  const timeless = (entry: JsonValue | undefined): JsonValue =>
    isObject(entry) ? { ...entry, time: "" } : (entry ?? null);
  return some.every((entry, at) => sameJson(timeless(entry), timeless(others[at])));
}

/**
 * Parses managedFields. Entries without fields are dropped; of several entries with one identity the last is kept.
 * @throws SyntaxError for entries that are not valid field sets
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
  if (!isObject(entry)) throw new SyntaxError("not an entry of managedFields");
  if (entry["fieldsType"] !== "FieldsV1")
    throw new SyntaxError(`unknown fieldsType ${JSON.stringify(entry["fieldsType"])}`);
  const apiVersion = text(entry["apiVersion"]);
  if (apiVersion === "") throw new SyntaxError("an entry lacks apiVersion");
  const fields = readFieldsV1(entry["fieldsV1"], how);
  if (fields === undefined) return undefined;
  return {
    manager: text(entry["manager"]),
    operation: text(entry["operation"]),
    apiVersion,
    subresource: text(entry["subresource"]),
    time: text(entry["time"]),
    fields,
  };
}

/**
 * Serializes owners: appliers first, then sorted by time, manager and version.
 * @returns undefined when there are no owners: the object then has no managedFields
 */
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

/** Builds the entry member by member: adding members to a spread copy is ten times slower. */
function entryOf({ manager, operation, apiVersion, time, fields, subresource }: Owner): JsonObject {
  const entry: JsonObject = manager === "" ? { operation, apiVersion } : { manager, operation, apiVersion };
  if (time !== "") entry["time"] = time;
  entry["fieldsType"] = "FieldsV1";
  entry["fieldsV1"] = fields as unknown as JsonObject;
  if (subresource !== "") entry["subresource"] = subresource;
  return entry;
}

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

const text = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");
