// Records field ownership on every write that is not an apply. Source: "Server-Side Apply" in the Kubernetes
// documentation, "Field management".
import type { JsonArray, JsonObject, JsonValue, ObjectType } from "@orch/schema";
import { sameJson } from "../json/same-json";
import { metaOf, writableMeta } from "../objects/object-meta";
import { type FieldSet, union, without } from "./field-set";
import type { FieldSetReading } from "./fields-v1";
import { managedFieldsOf, type Owner, ownerKey, readOwners, writeOwners } from "./managed-fields";
import { capped } from "./owner-cap";
import { reconcile } from "./reconcile";
import { type ObjectVersions, shapeIn, VersionedChange } from "./versioned-change";

/** The manager that writes, and the version it writes through. */
export interface Writer {
  /** The `fieldManager` of the request, or the name taken from its user agent; see `managerName`. */
  readonly manager: string;
  readonly apiVersion: string;
  /** Absent for the main resource. */
  readonly subresource?: string;
  /** Fields that the write resets. The manager does not own them. */
  readonly resets?: FieldSet;
  /** Whether entries record the subresource. Releases before 1.22 do not. Default: true. */
  readonly marksSubresource?: boolean;
}

export interface UpdateToTrack {
  /** The stored object in the writer's version; undefined when the object is created. Not modified. */
  readonly old: JsonObject | undefined;
  /**
   * The object to be written, decoded and with defaults, in the writer's version, with the managedFields that the
   * client sent.
   */
  readonly next: JsonObject;
  readonly by: Writer;
  /** Current time: RFC 3339 in UTC with whole seconds. */
  readonly time: string;
  readonly versions: ObjectVersions;
}

/**
 * Sets `metadata.managedFields` of the next object. Does not fail on invalid entries from the client or the store: an
 * object whose stored entries cannot be parsed loses them, and an existing object without entries gets none.
 */
export function trackUpdate(update: UpdateToTrack): void {
  const owners = startingOwners(update);
  const entries = owners && writeOwners(capped(ownersAfter(owners, update)));
  const meta = writableMeta(update.next);
  if (entries === undefined) delete meta["managedFields"];
  else meta["managedFields"] = entries;
}

/**
 * Returns the owners before the write: the entries that the client sent, when all of them can be parsed and at least
 * one of them owns a field of the object's type; otherwise the stored entries. Source: Kubernetes documentation,
 * "Server-Side Apply", "Clearing managedFields".
 * @returns undefined when the object has no entries
 */
function startingOwners({ old, next, by, versions }: UpdateToTrack): readonly Owner[] | undefined {
  const sent = managedFieldsOf(next);
  const stored = managedFieldsOf(old);
  if (by.subresource === undefined && sent !== undefined && !sameJson(sent, stored)) {
    if (isReset(sent)) return [];
    const owners = readableOwners(sent, { unknownElements: "refused" });
    if (owners.some((owner) => ownsSomething(owner, versions))) return owners;
  }
  const owners = readableOwners(stored);
  return owners.length === 0 && old !== undefined ? undefined : owners;
}

/** Reports whether the entries are a single empty entry, which resets managedFields. */
function isReset(entries: JsonArray): boolean {
  const [entry] = entries;
  return entries.length === 1 && typeof entry === "object" && entry !== null && Object.keys(entry).length === 0;
}

function ownsSomething({ apiVersion, fields }: Owner, versions: ObjectVersions): boolean {
  const shape = shapeIn(versions, apiVersion);
  return shape !== undefined && reconcile(shape, fields) !== undefined;
}

function readableOwners(entries: JsonArray | undefined, how: FieldSetReading = {}): readonly Owner[] {
  try {
    return readOwners(entries, how);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function ownersAfter(before: readonly Owner[], { old, next, by, time, versions }: UpdateToTrack): Owner[] {
  const { manager, apiVersion } = by;
  const me = { manager, operation: "Update", apiVersion, subresource: recordedSubresource(by) } as const;
  const myKey = ownerKey(me);
  const change = new VersionedChange(versions, apiVersion, old ?? emptyObject(versions, apiVersion), next, by.resets);
  const owners: Owner[] = [];
  let mine: Owner | undefined;
  for (const owner of before) {
    const shape = shapeIn(versions, owner.apiVersion);
    if (shape === undefined) continue;
    const fields = reconcile(shape, owner.fields);
    if (ownerKey(owner) === myKey) {
      mine = fields === owner.fields ? owner : fields && { ...owner, fields };
      continue;
    }
    const difference = change.in(owner.apiVersion);
    const kept = without(without(fields, difference?.written), difference?.removed);
    if (kept !== undefined) owners.push(kept === owner.fields ? owner : { ...owner, fields: kept });
  }
  const difference = change.in(apiVersion);
  const fields = without(union(mine?.fields, difference?.written), difference?.removed);
  if (fields !== undefined) owners.push(mine?.fields === fields ? mine : { time, fields, ...me });
  return owners;
}

/** Returns the subresource as recorded in entries. */
export const recordedSubresource = ({ subresource = "", marksSubresource = true }: Writer): string =>
  marksSubresource ? subresource : "";

/**
 * Returns the object before anything is written to it: the structs that are always present. The result is shared and
 * must not be modified.
 */
export function emptyObject(versions: ObjectVersions, apiVersion: string): JsonObject {
  const type = versions.typeOf(apiVersion);
  if (type === undefined) return { metadata: {} };
  let empty = empties.get(type);
  if (empty === undefined) {
    empty = { metadata: {}, ...type.decode({}).value };
    empties.set(type, empty);
  }
  return empty;
}

const empties = new WeakMap<ObjectType, JsonObject>();

/** Reports whether an apply body sets managedFields, which is not allowed. */
export function sentManagedFields(object: JsonObject): boolean {
  const entries = metaOf(object).managedFields as JsonValue | undefined;
  return entries !== undefined && entries !== null;
}
