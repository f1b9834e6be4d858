// Layout of the objects of one resource in the store and on the wire: the bytes before `metadata` in each version.
// Stored: `{"kind":…,"apiVersion":…,"metadata":{…},…}` in the storage version, without resourceVersion.

import {
  copyJson,
  type ResourceDefinition,
  requestEntityTooLarge,
  type ServedVersion,
  sameJson,
  TOO_LARGE_TEXT,
  writableMeta,
} from "@orch/machinery";
import {
  countValues,
  DecodeError,
  encodeJson,
  isLargeJson,
  type JsonObject,
  type JsonValue,
  readJson,
  VALUES_READ_WHOLE,
  writeJson,
} from "@orch/schema";
import type { Additions } from "@orch/store";

export interface ResourceForm {
  readonly definition: ResourceDefinition;
  /**
   * Version of the bytes: the storage version, except for objects of a definition with a converter that were stored in
   * another version.
   */
  readonly stored: ServedVersion;
  /** The form of each version by its name, for a definition with a converter. */
  readonly byVersion: ReadonlyMap<string, ResourceForm> | undefined;
  /** `{"kind":"…","apiVersion":"…",` of that version. */
  readonly head: Buffer;
  /** Position of the metadata members in a stored object: after `<head>"metadata":{`. */
  readonly metadataAt: number;
  /** Names of the selectable fields, in the order of the definition. */
  readonly fieldLabels: readonly string[];
  /** The members of `Completion`, with the name of each as it appears in JSON. */
  readonly completed: readonly { readonly name: Buffer; readonly of: Buffer | undefined }[];
  /** See `Completion`. */
  readonly odd: readonly Buffer[];
}

const METADATA = '"metadata":{';
/** Upper bound of the position of the metadata in all stored objects. */
const METADATA_AT_MAX = 1024;
const CLOSE_BRACE = 0x7d;

/** Returns the form of newly stored objects. */
export function resourceForm(definition: ResourceDefinition): ResourceForm {
  const { converter, versions, formerVersions = [], storage } = definition;
  if (converter === undefined) return formIn(definition, storage, undefined);
  const byVersion = new Map<string, ResourceForm>();
  for (const version of [...versions, ...formerVersions, storage]) {
    byVersion.set(version.apiVersion, formIn(definition, version, byVersion));
  }
  return byVersion.get(storage.apiVersion) as ResourceForm;
}

function formIn(
  definition: ResourceDefinition,
  stored: ServedVersion,
  byVersion: ResourceForm["byVersion"],
): ResourceForm {
  const head = headOf(stored);
  return {
    definition,
    stored,
    byVersion,
    head,
    metadataAt: head.length + METADATA.length,
    fieldLabels: Object.keys(definition.selectableFields),
    completed: (definition.completion?.members ?? []).map(({ name, of }) => ({
      name: Buffer.from(`${JSON.stringify(name)}:`),
      of: of === undefined ? undefined : Buffer.from(of),
    })),
    odd: (definition.completion?.odd ?? []).map((text) => Buffer.from(text)),
  };
}

/**
 * Returns the form of another definition of the resource under which bytes of this form read the same; undefined when
 * they must be parsed again.
 */
export function equivalentForm(form: ResourceForm, next: ResourceForm): ResourceForm | undefined {
  if (form.definition.completion !== next.definition.completion) return undefined;
  const found = next.byVersion === undefined ? next : next.byVersion.get(form.stored.apiVersion);
  return found?.head.equals(form.head) ? found : undefined;
}

const heads = new WeakMap<ServedVersion, Buffer>();

/** `{"kind":"…","apiVersion":"…",`, built once per version. */
export function headOf(version: ServedVersion): Buffer {
  let head = heads.get(version);
  if (head === undefined) {
    head = Buffer.from(`{"kind":${JSON.stringify(version.kind)},"apiVersion":${JSON.stringify(version.apiVersion)},`);
    heads.set(version, head);
  }
  return head;
}

/** Whether objects have the same members in both versions, so that only the bytes before `metadata` differ. */
export function sameShape(form: ResourceForm, version: ServedVersion): boolean {
  if (form.byVersion !== undefined) return version.apiVersion === form.stored.apiVersion;
  return version.fromStorage === undefined && form.definition.storage.fromStorage === undefined;
}

/**
 * Encodes an object of the form's version for the store. Removes `metadata.resourceVersion` from the object: the
 * store's revision replaces it.
 */
export function encodeStored(form: ResourceForm, object: JsonObject): Buffer {
  const { kind, apiVersion } = form.stored;
  object["kind"] = kind;
  object["apiVersion"] = apiVersion;
  object["metadata"] = metadataInOrder(writableMeta(object));
  return Buffer.from(encodeJson(object));
}

/**
 * Encodes an object in the hub form for the store; see `encodeStored`.
 * @throws StatusError RequestEntityTooLarge (413) for an object with more values than may be read whole
 */
export function encodeHub(form: ResourceForm, object: JsonObject): Buffer {
  const { storage, readWhole } = form.definition;
  const { fromHub } = storage;
  // Copied because a create that generates another name stores the same object again.
  const stored = encodeStored(form, fromHub === undefined ? object : fromHub(copyJson(object)));
  if (readWhole && isLargeJson(stored) && countValues(stored, VALUES_READ_WHOLE) === VALUES_READ_WHOLE) {
    throw requestEntityTooLarge(TOO_LARGE_TEXT.readWhole(storage.kind, VALUES_READ_WHOLE));
  }
  return stored;
}

/** @returns undefined when the stored object has no managedFields */
export function withoutOwners(form: ResourceForm, stored: Buffer): Buffer | undefined {
  const object = readJson(stored.toString("utf8")) as JsonObject;
  const { managedFields, ...meta } = writableMeta(object);
  return managedFields === undefined ? undefined : encodeStored(form, { ...object, metadata: meta });
}

/**
 * Order of the metadata members. Equal metadata thus has equal bytes, whatever the order of assignments. Frequently
 * read members come first.
 */
const METADATA_ORDER = [
  "name",
  "generateName",
  "namespace",
  "uid",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers",
  "managedFields",
] as const;

function metadataInOrder(meta: JsonObject): JsonObject {
  const ordered: JsonObject = {};
  for (const name of METADATA_ORDER) {
    const value = meta[name];
    if (value !== undefined) ordered[name] = value;
  }
  for (const name in meta) {
    if (ordered[name] === undefined && name !== "resourceVersion") ordered[name] = meta[name] as JsonValue;
  }
  return ordered;
}

/** Returns the form of stored bytes. @throws Error for a version that the definition does not know */
export function formOfStored(form: ResourceForm, stored: Buffer): ResourceForm {
  if (form.byVersion === undefined || hasForm(form, stored)) return form;
  for (const each of form.byVersion.values()) if (hasForm(each, stored)) return each;
  const { apiVersion = null } = readJson(stored.toString("utf8")) as JsonObject;
  const found = typeof apiVersion === "string" ? form.byVersion.get(apiVersion) : undefined;
  if (found === undefined) throw unknownVersion(apiVersion);
  return found;
}

const unknownVersion = (apiVersion: JsonValue) => new Error(`stored in an unknown version: ${writeJson(apiVersion)}`);

/**
 * Returns stored bytes in the form in which this server writes them. Bytes of an older storage version or of another
 * writer are converted, and defaults that an older release did not store are filled in.
 * @throws SyntaxError, or Error for an object of a version that the definition does not know
 */
export function normalizeStored(form: ResourceForm, stored: Buffer): Buffer {
  const isInForm = hasForm(form, stored);
  if (isInForm && isComplete(form, stored)) return stored;
  const object = readJson(stored.toString("utf8")) as JsonObject;
  const { versions, formerVersions = [] } = form.definition;
  const version = [...versions, ...formerVersions].find(({ apiVersion }) => apiVersion === object["apiVersion"]);
  if (version === undefined) throw unknownVersion(object["apiVersion"] ?? null);
  version.type.applyDefaults(object);
  const complete = version.toStorage?.(object) ?? object;
  form.definition.completion?.complete?.(complete);
  const brought = encodeStored(form, form.definition.renew?.(complete, form.stored) ?? complete);
  return isInForm && brought.equals(stored) ? stored : brought;
}

const parsed = (stored: Buffer) => readJson(stored.toString("utf8")) as JsonObject;

/**
 * Returns undefined for an object that the present definition cannot decode. Such an object is shown as it was stored.
 */
function orUndefined<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Returns stored bytes of this form as the present definition writes them: the same buffer when nothing differs. */
export function renewedStored(form: ResourceForm, stored: Buffer): Buffer {
  const { renew } = form.definition;
  if (renew === undefined) return stored;
  const renewed = orUndefined(() => encodeStored(form, renew(parsed(stored), form.stored)));
  if (renewed === undefined) return stored;
  if (renewed.length !== stored.length) return renewed;
  return renewed.equals(stored) || sameJson(parsed(renewed), parsed(stored)) ? stored : renewed;
}

function isComplete({ completed, odd }: ResourceForm, stored: Buffer): boolean {
  for (const { name, of } of completed) {
    if (!stored.includes(name) && (of === undefined || stored.includes(of))) return false;
  }
  for (const text of odd) if (stored.includes(text)) return false;
  return true;
}

/**
 * Returns the form of bytes that are stored exactly as this server writes them; undefined when they must be normalized.
 */
export function canonicalForm(form: ResourceForm, stored: Buffer): ResourceForm | undefined {
  const has = (each: ResourceForm) => hasForm(each, stored) && isComplete(each, stored);
  return form.byVersion === undefined ? (has(form) ? form : undefined) : [...form.byVersion.values()].find(has);
}

/**
 * Returns the resourceVersion member that is inserted before the other metadata members. @param at the position of
 * these in the bytes
 */
export function versionText(revision: number, bytes: Buffer, at: number): string {
  const text = `"resourceVersion":"${revision}"`;
  return bytes[at] === CLOSE_BRACE ? text : `${text},`;
}

/**
 * Tells the store what to insert when it reads a value, so that value and resource version are read into one buffer.
 */
export const servedAdditions: Additions = (stored, revision) => {
  const found = stored.subarray(0, METADATA_AT_MAX).indexOf(METADATA);
  if (found < 0) return undefined;
  const at = found + METADATA.length;
  return { at, text: versionText(revision, stored, at) };
};

function hasForm({ head, metadataAt }: ResourceForm, stored: Buffer): boolean {
  return (
    stored.length > metadataAt &&
    head.compare(stored, 0, head.length) === 0 &&
    stored.toString("latin1", head.length, metadataAt) === METADATA
  );
}
