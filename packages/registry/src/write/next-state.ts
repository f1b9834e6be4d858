// The steps between a computed new state of an object and its storage, shared by update, patch and apply. Source:
// staging/src/k8s.io/apiserver/pkg/registry/rest/update.go.
import {
  CONFLICT_TEXT,
  conflict,
  differInTimes,
  field,
  invalid,
  isReleased,
  keepSystemMetadata,
  managedFieldsOf,
  metadataUpdateErrors,
  metaOf,
  sameJson,
  writableMeta,
} from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { ObjectKey } from "../contract/operations";
import { encodeHub } from "../objects/resource-form";
import type { StoredEntry } from "../objects/stored-entry";
import { allocateUniqueValues } from "./allocations";
import type { Decision } from "./change-stored";
import { NO_TERMS, type WriteTerms } from "./guarded-write";
import {
  addKindWarnings,
  attemptAttributes,
  dropDuplicateOwners,
  metadataRules,
  prepareContext,
  reportChange,
  type WriteAttempt,
} from "./write-step";

export type UpdateAttempt = WriteAttempt;

/**
 * Runs admission, preservation of system metadata, the kind's rules, and validation.
 * @param of both in the hub form; next: with its managedFields, changed in place unless admission replaces it; old: the
 * content of `current`
 */
export async function nextState(
  context: ResourceContext,
  of: { readonly next: JsonObject; readonly old: JsonObject; readonly current: StoredEntry },
  at: ObjectKey,
  write: UpdateAttempt,
): Promise<Decision> {
  const { admission, definition, loop } = context;
  const startMs = loop.nowMs;
  const { old, current } = of;
  let { next } = of;
  checkVersions(context, { next, old, version: String(current.resourceVersion) }, at);
  const request =
    admission && write.tries.ask(attemptAttributes(context, "UPDATE", at, write, { object: next, oldObject: old }));
  if (request !== undefined) {
    const change = admission?.mutate(request);
    if (change !== undefined) await change;
    next = request.object ?? next;
    dropDuplicateOwners(next, write, "admission");
  }
  keepSystemMetadata(next, old);
  const rules = write.subresource?.rules;
  const prepare = rules === undefined ? definition.strategy.prepareForUpdate : rules.prepareForUpdate;
  prepare?.(next, old, prepareContext(context, write));
  const errors = [
    ...metadataUpdateErrors(next, old, metadataRules(context)),
    ...(rules === undefined ? (definition.strategy.validate?.(next, write.version, old) ?? []) : []),
    ...((rules ?? definition.strategy).validateUpdate?.(next, old, write.version, write.warnOnce) ?? []),
  ];
  if (errors.length > 0) throw invalid(context.kind, at.name, errors);
  if (rules === undefined) addKindWarnings(context, { next, old }, write);
  const allocated = allocateUniqueValues(context, { next, old }, write.dryRun);
  if (allocated !== undefined) await allocated;
  if (loop.isOverSince(startMs)) await loop.next();
  const judgement = request && admission?.validate(request);
  if (judgement !== undefined) await judgement;
  if (rules?.view === undefined) keepTimes(next, old);
  if (write.changed !== undefined) reportChange(context, { old, next }, write);
  const stored = encodeHub(context.form, next);
  if (isReleased(next, old, definition.strategy.deletion ?? {})) return { kind: "remove", last: stored };
  return current.sameAs(stored) ? { kind: "keep" } : { kind: "put", stored, terms: termsOf(request) };
}

/** Updates have no preconditions. */
const termsOf = (request: WriteTerms | undefined): WriteTerms =>
  request === undefined || request.reservations.length === 0
    ? NO_TERMS
    : { preconditions: [], reservations: request.reservations };

/**
 * Keeps the former managedFields when only their times differ. An apply that sets fields which its request may not set,
 * such as the status, is then no change when it is repeated.
 */
function keepTimes(next: JsonObject, old: JsonObject): void {
  const before = managedFieldsOf(old);
  if (before === undefined || !differInTimes(managedFieldsOf(next), before)) return;
  const { managedFields: _, ...metadata } = metaOf(next) as JsonObject;
  const { managedFields: __, ...oldMetadata } = metaOf(old) as JsonObject;
  if (sameJson({ ...next, metadata }, { ...old, metadata: oldMetadata })) writableMeta(next)["managedFields"] = before;
}

/**
 * Checks uid and resourceVersion in the request against the object. A request without them applies to any state.
 * @throws StatusError Conflict (409), Invalid (422)
 */
function checkVersions(
  context: ResourceContext,
  { next, old, version }: { readonly next: JsonObject; readonly old: JsonObject; readonly version: string },
  at: ObjectKey,
): void {
  const meta = writableMeta(next);
  const { uid = "", resourceVersion = "" } = metaOf(next);
  const { uid: found = "" } = metaOf(old);
  if (uid !== "" && uid !== found) {
    throw conflict(context.resource, at.name, CONFLICT_TEXT.uidPrecondition({ wanted: uid, found }));
  }
  if (resourceVersion === "" || resourceVersion === "0") {
    if (!context.definition.strategy.unconditionalUpdate) {
      const error = field.invalid("metadata.resourceVersion", 0, "must be specified for an update");
      throw invalid({ group: context.kind.group, kind: context.definition.plural }, at.name, [error]);
    }
    meta["resourceVersion"] = version;
  } else if (resourceVersion !== version) {
    throw conflict(context.resource, at.name, CONFLICT_TEXT.modified());
  }
}
