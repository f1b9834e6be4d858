// Server-side apply: sets the fields that a manager applies and leaves all others to their owners. Source: "Server-Side
// Apply" in the Kubernetes documentation.
import { copyJson, type JsonObject, type ObjectType } from "@orch/schema";
import { BAD_REQUEST_TEXT, badRequest } from "../errors/request-errors";
import { unclassified } from "../errors/server-errors";
import { jsonText } from "../json/json-text";
import { sameJson } from "../json/same-json";
import { metaOf, writableMeta } from "../objects/object-meta";
import { withAppliedNulls } from "./applied-nulls";
import { readApplied } from "./applied-value";
import { compareObjects } from "./compare";
import { conflictError, conflictsWith, exceptFor } from "./conflicts";
import { without } from "./field-set";
import { adoptedFields, type ClientSideApply, withNote } from "./last-applied";
import { managedFieldsOf, type Owner, ownerKey, readOwners, writeOwners } from "./managed-fields";
import { type ItemOrder, mergeObjects } from "./merge";
import { rootShape } from "./merge-shape";
import { reconcile } from "./reconcile";
import { emptyObject, recordedSubresource, sentManagedFields, type Writer } from "./track-update";
import { appliedPaths, heldPaths } from "./value-paths";
import { type ObjectVersions, shapeIn, VersionedChange } from "./versioned-change";
import { withdraw } from "./withdraw";

export interface ApplyRequest {
  /**
   * The stored object in the applier's version, or undefined when the object does not exist. Not modified, and not
   * shared with the result.
   */
  readonly live: JsonObject | undefined;
  /** The parsed body; not modified. */
  readonly applied: JsonObject;
  readonly by: Writer;
  /** Takes fields over from other managers instead of failing with a conflict. */
  readonly force: boolean;
  /** Current time: RFC 3339 in UTC with whole seconds. */
  readonly time: string;
  readonly versions: ObjectVersions;
  readonly clientSideApply?: ClientSideApply;
  /** Default: "applied". */
  readonly itemOrder?: ItemOrder;
}

/**
 * Applies a configuration to an object.
 * @returns the object to store: decoded, with defaults and managedFields, in the applier's version. Its uid and
 * resourceVersion are those of the body when the body sets them, so that the write compares them with the live object's
 * even when nothing changed
 * @throws StatusError BadRequest (400) for a body of another version or with managedFields, Conflict (409) with one
 * cause per field and manager, unclassified (500) for a body that does not fit its type
 * @throws DecodeError for a value that its field cannot hold, such as an invalid quantity
 */
export function applyPatch(request: ApplyRequest): JsonObject {
  const { live, applied, by, versions } = request;
  const type = checkBody(request);
  const shape = rootShape(type.struct);
  const config = readApplied(type.struct, applied);
  const start = live ?? emptyObject(versions, by.apiVersion);
  const { last, others } = ownersBefore(request, start);
  const sent = appliedPaths(shape, config);
  const mine = { fields: without(sent, by.resets), ...identity(by) };
  const merged = mergeObjects(shape, start, config, request.itemOrder);
  const held = heldPaths(shape, config, sent);
  const left = last === undefined ? merged : withdraw(merged, by.apiVersion, { last, held, others }, versions);
  const wanted = withAppliedNulls(shape, left, config, { apiVersion: by.apiVersion, others, versions });
  const change = new VersionedChange(versions, by.apiVersion, start, wanted, by.resets);
  requireNoConflicts(request, others, change, type);

  const next = live !== undefined && change.in(by.apiVersion) === undefined ? live : finished(type, wanted);
  const isNew = live === undefined || (next !== live && compareObjects(shape, live, next) !== undefined);
  const kept = others.flatMap((owner) => withoutChanges(owner, change));
  const entriesAt = (time: string) =>
    writeOwners(mine.fields === undefined ? kept : [...kept, { time, ...mine, fields: mine.fields }]);
  const sameEntries = isNew ? undefined : entriesAt(last?.time ?? request.time);
  const isSame = !isNew && sameJson(sameEntries, managedFieldsOf(live));
  // The caller may modify the result, so the live object is copied.
  const object = isNew ? next : copyJson(start);
  return result(request, object, isSame ? sameEntries : entriesAt(request.time));
}

function checkBody({ applied, by, versions }: ApplyRequest): ObjectType {
  const { apiVersion } = applied;
  if (apiVersion !== by.apiVersion) {
    throw badRequest(BAD_REQUEST_TEXT.applyVersion({ found: jsonText(apiVersion), expected: by.apiVersion }));
  }
  if (sentManagedFields(applied)) throw badRequest(BAD_REQUEST_TEXT.applyManagedFields());
  const type = versions.typeOf(by.apiVersion);
  if (type === undefined) throw new Error(`server-side apply in the unknown version ${by.apiVersion}`);
  return type;
}

const identity = (by: Writer) =>
  ({
    manager: by.manager,
    operation: "Apply",
    apiVersion: by.apiVersion,
    subresource: recordedSubresource(by),
  }) as const;

interface OwnersBefore {
  /** The applier's entry from its previous apply. */
  readonly last: Owner | undefined;
  readonly others: readonly Owner[];
}

const FIRST_OWNER = "before-first-apply";

function ownersBefore({ live, by, time, versions }: ApplyRequest, start: JsonObject): OwnersBefore {
  const owners = storedOwners(live).flatMap((owner) => {
    const shape = shapeIn(versions, owner.apiVersion);
    const fields = shape && reconcile(shape, owner.fields);
    if (fields === undefined) return [];
    return [fields === owner.fields ? owner : { ...owner, fields }];
  });
  if (live !== undefined && managedFieldsOf(live) === undefined) {
    // The object has no managedFields: all its present fields are assigned to one owner, "before-first-apply".
    const empty = emptyObject(versions, by.apiVersion);
    const fields = new VersionedChange(versions, by.apiVersion, empty, start).in(by.apiVersion)?.written;
    const { apiVersion } = by;
    if (fields !== undefined) {
      const subresource = recordedSubresource(by);
      owners.push({ manager: FIRST_OWNER, operation: "Update", apiVersion, subresource, time, fields });
    }
  }
  const me = ownerKey(identity(by));
  return {
    last: owners.find((owner) => ownerKey(owner) === me),
    others: owners.filter((owner) => ownerKey(owner) !== me),
  };
}

function storedOwners(live: JsonObject | undefined): readonly Owner[] {
  try {
    return readOwners(managedFieldsOf(live));
  } catch (error) {
    if (error instanceof SyntaxError) throw unclassified(`cannot read metadata.managedFields: ${error.message}`);
    throw error;
  }
}

function requireNoConflicts(
  { live, by, force, clientSideApply }: ApplyRequest,
  others: readonly Owner[],
  change: VersionedChange,
  type: ObjectType,
): void {
  const conflicts = force ? [] : conflictsWith(others, change);
  if (conflicts.length === 0) return;
  const isClients = live !== undefined && clientSideApply?.manager === by.manager;
  const allowed = isClients
    ? adoptedFields(clientSideApply.annotation, { object: live, type, apiVersion: by.apiVersion })
    : undefined;
  const remaining = exceptFor(allowed, conflicts);
  if (remaining.length > 0) throw conflictError(remaining);
}

function withoutChanges(owner: Owner, change: VersionedChange): Owner[] {
  const difference = change.in(owner.apiVersion);
  const fields = without(without(owner.fields, difference?.written), difference?.removed);
  if (fields === undefined) return [];
  return [fields === owner.fields ? owner : { ...owner, fields }];
}

/** Decodes the merged object and sets its defaults. Drops managedFields, as the caller writes new entries. */
function finished(type: ObjectType, wanted: JsonObject): JsonObject {
  const { managedFields: _, ...metadata } = writableMeta(wanted);
  // An applied null is intended: a null in a place that does not accept it is reported as such instead of being
  // dropped.
  const { value } = type.decode(copyJson({ ...wanted, metadata }), { keepsNulls: true });
  type.applyDefaults(value);
  return value;
}

function result(
  { applied, by, clientSideApply }: ApplyRequest,
  object: JsonObject,
  entries: ReturnType<typeof writeOwners>,
): JsonObject {
  const { managedFields: _, ...metadata } = writableMeta(object);
  const { annotations = {} } = metaOf(object);
  const annotation = clientSideApply?.manager === by.manager ? clientSideApply.annotation : undefined;
  const noted = annotation === undefined ? annotations : withNote(annotations, annotation, applied);
  if (noted !== annotations) metadata["annotations"] = noted;
  if (Object.keys(noted).length === 0) delete metadata["annotations"];
  // The write checks the preconditions of the body (uid, resourceVersion) against the live object.
  const { uid, resourceVersion } = metaOf(applied);
  if (uid) metadata["uid"] = uid;
  if (resourceVersion) metadata["resourceVersion"] = resourceVersion;
  if (entries !== undefined) metadata["managedFields"] = entries;
  return { ...object, metadata };
}
