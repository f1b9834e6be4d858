// Steps that all writes share.

import {
  type AdmissionOperation,
  type AdmissionOptions,
  AdmittedWrite,
  type AttemptAttributes,
  changedPaths,
  dropDuplicateOwnerReferences,
  generateUid,
  type MetadataRules,
  type ServedVersion,
  timestamp,
} from "@orch/machinery";
import type { DecodeProblem, JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { ClientOptions, ObjectKey, PatchContext, WriteContext } from "../contract/operations";

/**
 * Converts an object from the request's version to the hub form. May change and return its argument. @throws
 * NeedsConversion
 */
export function toHub(
  { definition, conversions }: ResourceContext,
  version: ServedVersion,
  object: JsonObject,
): JsonObject {
  const { storage } = definition;
  const hub =
    conversions === undefined
      ? (version.toHub?.(object) ?? object)
      : conversions.writes.converted(object, version, storage);
  hub["kind"] = storage.kind;
  hub["apiVersion"] = storage.apiVersion;
  return hub;
}

/** Whether a stored object in this version already has the hub form. */
export function hasHubShape({ definition }: ResourceContext, version: ServedVersion): boolean {
  return version === definition.storage && version.toHub === undefined;
}

/**
 * Reports the changed paths of the write, when the request asks for them. @param change in the hub form, as it will be
 * stored
 */
export function reportChange(
  { definition, versions }: ResourceContext,
  change: { readonly old: JsonObject | undefined; readonly next: JsonObject },
  { changed }: WriteAttempt,
): void {
  changed?.(changedPaths(versions, definition.storage.apiVersion, change));
}

/**
 * Drops duplicate ownerReferences with the same UID, and warns the client.
 * @param by the source of the object's present state: the client, or mutating admission
 */
export function dropDuplicateOwners(object: JsonObject, write: WriteContext, by: "client" | "admission"): void {
  const uids = dropDuplicateOwnerReferences(object);
  if (uids.length === 0) return;
  const after = by === "client" ? "" : " after mutating admission";
  write.warn(
    `.metadata.ownerReferences contains duplicate entries${after}; one of each is kept; duplicate UID(s) observed: ${uids.join(", ")}`,
  );
}

export function prepareContext(context: ResourceContext, write: WriteContext) {
  return { user: write.user, version: write.version, now: timestamp(context.clock.now()) };
}

export function metadataRules({ definition }: ResourceContext): MetadataRules {
  const { nameErrors, standardFinalizers } = definition.strategy;
  return { scope: definition.scope, nameErrors, ...(standardFinalizers === undefined ? {} : { standardFinalizers }) };
}

/**
 * A write with the state of its attempts. A class with a fixed shape: spreading options into new objects costs as much
 * as a step of the write.
 */
export class WriteAttempt implements PatchContext {
  readonly version;
  readonly user;
  readonly manager;
  readonly verb;
  readonly userAgent;
  readonly dryRun;
  readonly options;
  readonly pathName;
  readonly signal;
  readonly span;
  readonly admitted;
  readonly subresource;
  readonly annotate;
  readonly beforeCreate;
  readonly changed;
  readonly tries: AdmittedWrite;
  readonly warn: (text: string) => void;
  readonly noticed: (problems: readonly DecodeProblem[], patched: JsonObject) => void;
  /** Adds a warning once, in however many attempts it is found. */
  readonly warnOnce: (text: string) => void;

  constructor({ admission, randomness }: ResourceContext, asked: WriteContext & Partial<PatchContext>) {
    this.version = asked.version;
    this.user = asked.user;
    this.manager = asked.manager;
    this.verb = asked.verb;
    this.userAgent = asked.userAgent;
    this.dryRun = asked.dryRun;
    this.options = asked.options;
    this.pathName = asked.pathName;
    this.signal = asked.signal;
    this.span = asked.span;
    this.admitted = asked.admitted;
    this.subresource = asked.subresource;
    this.annotate = asked.annotate;
    this.beforeCreate = asked.beforeCreate;
    this.changed = asked.changed;
    this.warn = (text) => asked.warn(text);
    let warned: Set<string> | undefined;
    this.warnOnce = (text) => {
      warned ??= new Set();
      if (!warned.has(text)) asked.warn(text);
      warned.add(text);
    };
    this.noticed = (problems, patched) => asked.noticed?.(problems, patched);
    this.tries = new AdmittedWrite(admission, asked, () => generateUid(randomness));
  }
}

/** Adds the warnings of the kind about a valid object. */
export function addKindWarnings(
  context: ResourceContext,
  { next, old }: { readonly next: JsonObject; readonly old?: JsonObject },
  { warnOnce }: WriteAttempt,
): void {
  const { warnings } = context.definition.strategy;
  if (warnings !== undefined) for (const text of warnings(next, old)) warnOnce(text);
}

/** Returns the admission attributes of an attempt. @param name of the object, when the path does not have it */
export function attemptAttributes(
  context: ResourceContext,
  operation: AdmissionOperation,
  at: ObjectKey,
  write: WriteContext & { readonly subresource?: { readonly name: string } | undefined },
  objects: Pick<AttemptAttributes, "object" | "oldObject">,
  name = at.name,
): AttemptAttributes {
  const { version, user, pathName = at.name, subresource } = write;
  return {
    operation,
    definition: context.definition,
    version,
    kind: version,
    subresource: subresource?.name ?? "",
    namespace: at.namespace,
    name,
    pathName,
    user,
    options: () => optionsOf(operation, write),
    object: objects.object,
    oldObject: objects.oldObject,
  };
}

function optionsOf(operation: AdmissionOperation, { options = NOTHING_SAID }: WriteContext): AdmissionOptions {
  return { kind: operation === "UPDATE" ? "UpdateOptions" : "CreateOptions", ...options };
}

const NOTHING_SAID: ClientOptions = { fieldManager: "", fieldValidation: "Warn" };
