// How the objects of one resource are laid out in the store and on the wire: the bytes before `metadata` in each version.
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
  /** That the bytes are in: the storage version, but for objects of a definition with a converter that were stored in another one. */
  readonly stored: ServedVersion;
  /** Of a definition with a converter: the form of each version, by its name. */
  readonly byVersion: ReadonlyMap<string, ResourceForm> | undefined;
  /** `{"kind":"…","apiVersion":"…",` of that version. */
  readonly head: Buffer;
  /** Where a stored object's metadata members begin: behind `<head>"metadata":{`. */
  readonly metadataAt: number;
  /** Names of the selectable fields, in the order of the definition. */
  readonly fieldLabels: readonly string[];
  /** See `Completion`: the name of each member as JSON has it. */
  readonly completed: readonly { readonly name: Buffer; readonly of: Buffer | undefined }[];
  /** See `Completion`. */
  readonly odd: readonly Buffer[];
}

const METADATA = '"metadata":{';
/** Nothing that is stored has a longer kind and version. */
const METADATA_AT_MAX = 1024;
const CLOSE_BRACE = 0x7d;

/** Of newly stored objects. */
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

/** The form of another definition of the resource under which bytes of this form read the same; undefined where they have to be read anew. */
export function counterpart(form: ResourceForm, next: ResourceForm): ResourceForm | undefined {
  if (form.definition.completion !== next.definition.completion) return undefined;
  const found = next.byVersion === undefined ? next : next.byVersion.get(form.stored.apiVersion);
  return found?.head.equals(form.head) ? found : undefined;
}

const heads = new WeakMap<ServedVersion, Buffer>();

/** `{"kind":"…","apiVersion":"…",`, made once per version. */
export function headOf(version: ServedVersion): Buffer {
  let head = heads.get(version);
  if (head === undefined) {
    head = Buffer.from(`{"kind":${JSON.stringify(version.kind)},"apiVersion":${JSON.stringify(version.apiVersion)},`);
    heads.set(version, head);
  }
  return head;
}

/** Whether objects have the same members in both, so that only the bytes before `metadata` differ. */
export function sameShape(form: ResourceForm, version: ServedVersion): boolean {
  if (form.byVersion !== undefined) return version.apiVersion === form.stored.apiVersion;
  return version.fromStorage === undefined && form.definition.storage.fromStorage === undefined;
}

/** An object in the form's version as it is stored. Takes `metadata.resourceVersion` out of the object, which is the store's to tell. */
export function encodeStored(form: ResourceForm, object: JsonObject): Buffer {
  const { kind, apiVersion } = form.stored;
  object["kind"] = kind;
  object["apiVersion"] = apiVersion;
  object["metadata"] = metadataInOrder(writableMeta(object));
  return Buffer.from(encodeJson(object));
}

/**
 * An object of the hub's shape as it is stored; see `encodeStored`.
 * @throws StatusError RequestEntityTooLarge (413) for more than may be read whole
 */
export function encodeHub(form: ResourceForm, object: JsonObject): Buffer {
  const { storage, readWhole } = form.definition;
  const { fromHub } = storage;
  // A create that draws another name stores the same object again.
  const stored = encodeStored(form, fromHub === undefined ? object : fromHub(copyJson(object)));
  if (readWhole && isLargeJson(stored) && countValues(stored, VALUES_READ_WHOLE) === VALUES_READ_WHOLE) {
    throw requestEntityTooLarge(TOO_LARGE_TEXT.readWhole(storage.kind, VALUES_READ_WHOLE));
  }
  return stored;
}

/** @returns undefined where the stored object says nothing of who owns its fields */
export function withoutOwners(form: ResourceForm, stored: Buffer): Buffer | undefined {
  const object = readJson(stored.toString("utf8")) as JsonObject;
  const { managedFields, ...meta } = writableMeta(object);
  return managedFields === undefined ? undefined : encodeStored(form, { ...object, metadata: meta });
}

/** Whoever sets a member last, equal metadata has equal bytes; what is looked for most often stands in front. */
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

/** The form that stored bytes have. @throws Error for those of a version that the definition does not know */
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
 * Stored bytes as this server writes them. Those of an older storage version, or of another hand, are brought into form, and whatever a
 * release has stored that fills in less is completed.
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

/** What the present definition cannot read is shown as it was stored. */
function orUndefined<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Stored bytes of this form as the present definition has them: the same ones, where it says nothing else. */
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

/** The form that stored bytes have just as this server writes them; undefined where they have to be looked at more closely. */
export function formAsIs(form: ResourceForm, stored: Buffer): ResourceForm | undefined {
  const has = (each: ResourceForm) => hasForm(each, stored) && isComplete(each, stored);
  return form.byVersion === undefined ? (has(form) ? form : undefined) : [...form.byVersion.values()].find(has);
}

/** What an object shows of its revision in front of the members of its metadata. @param at where these begin in the bytes */
export function versionText(revision: number, bytes: Buffer, at: number): string {
  const text = `"resourceVersion":"${revision}"`;
  return bytes[at] === CLOSE_BRACE ? text : `${text},`;
}

/** Of anything that is stored, for the store to read it together with that. */
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
