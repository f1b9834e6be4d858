// The steps between a decoded new object and its storage, shared by create, update and apply. Source:
// staging/src/k8s.io/apiserver/pkg/registry/rest/create.go.
import { type FieldError, invalid, metadataErrors, nameOf, stampNewObject } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { ObjectKey } from "../contract/operations";
import { EncodedNewObject } from "./encoded-new-object";
import { NO_TERMS, type WriteTerms } from "./guarded-write";
import { placeNew } from "./placement";
import {
  addKindWarnings,
  attemptAttributes,
  dropDuplicateOwners,
  metadataRules,
  prepareContext,
  reportChange,
  type WriteAttempt,
} from "./write-step";

export interface PreparedObject {
  readonly object: JsonObject;
  /** The bytes of the object in its present state. */
  readonly text: EncodedNewObject;
  /** Terms to pass to the write. */
  readonly terms: WriteTerms;
}

/**
 * Runs admission, sets the server's metadata, and runs the kind's rules and validation.
 * @param asked the requested object; changed in place unless admission replaces it
 */
export async function prepareNew(
  context: ResourceContext,
  asked: JsonObject,
  at: ObjectKey,
  write: WriteAttempt,
): Promise<PreparedObject> {
  const { definition, admission, loop } = context;
  const startMs = loop.nowMs;
  const { strategy } = definition;
  const request =
    admission &&
    write.tries.ask(
      attemptAttributes(context, "CREATE", at, write, { object: asked, oldObject: undefined }, nameOf(asked)),
    );
  let object = asked;
  if (request !== undefined) {
    const change = admission?.mutate(request);
    if (change !== undefined) await change;
    object = request.object ?? asked;
    dropDuplicateOwners(object, write, "admission");
    placeNew(definition, object, at);
  }
  setServerFields(context, object, write);
  const errors: readonly FieldError[] = [
    ...metadataErrors(object, metadataRules(context)),
    ...(strategy.validate?.(object, write.version) ?? []),
    ...(strategy.validateCreate?.(object, write.version) ?? []),
  ];
  if (errors.length > 0) throw invalid(context.kind, nameOf(object), errors);
  addKindWarnings(context, { next: object }, write);
  if (write.changed !== undefined) reportChange(context, { old: undefined, next: object }, write);
  const text = new EncodedNewObject(context.form, object);
  if (request === undefined) return { object, text, terms: NO_TERMS };
  if (text.isShownSo) request.stored = text;
  if (loop.isOverSince(startMs)) await loop.next();
  const judgement = admission?.validate(request);
  if (judgement !== undefined) await judgement;
  return { object, text, terms: request };
}

/** Sets the fields of a new object that only the server sets. Changes its argument. */
export function setServerFields(context: ResourceContext, object: JsonObject, write: WriteAttempt): void {
  stampNewObject(object, context);
  context.definition.strategy.prepareForCreate?.(object, prepareContext(context, write));
}
