// The steps between a decoded new object and its storage, shared by create, update and apply. Source:
// staging/src/k8s.io/apiserver/pkg/registry/rest/create.go.
import { type FieldError, invalid, metadataErrors, nameOf, stampNewObject } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { ObjectKey } from "../contract/registry";
import { NO_TERMS, type WriteTerms } from "./guarded-write";
import { NewText } from "./new-text";
import { placeNew } from "./placement";
import {
  askedParts,
  metadataRules,
  prepareContext,
  settleOwners,
  type TriedWrite,
  tellChange,
  warnOf,
} from "./write-step";

export interface PreparedObject {
  readonly object: JsonObject;
  /** The bytes of the object in its present state. */
  readonly text: NewText;
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
  write: TriedWrite,
): Promise<PreparedObject> {
  const { definition, admission, loop } = context;
  const startMs = loop.nowMs;
  const { strategy } = definition;
  const request =
    admission &&
    write.tries.ask(askedParts(context, "CREATE", at, write, { object: asked, oldObject: undefined }, nameOf(asked)));
  let object = asked;
  if (request !== undefined) {
    const change = admission?.mutate(request);
    if (change !== undefined) await change;
    object = request.object ?? asked;
    settleOwners(object, write, "admission");
    placeNew(definition, object, at);
  }
  shapeNew(context, object, write);
  const errors: readonly FieldError[] = [
    ...metadataErrors(object, metadataRules(context)),
    ...(strategy.validate?.(object, write.version) ?? []),
    ...(strategy.validateCreate?.(object, write.version) ?? []),
  ];
  if (errors.length > 0) throw invalid(context.kind, nameOf(object), errors);
  warnOf(context, object, write);
  if (write.changed !== undefined) tellChange(context, { old: undefined, next: object }, write);
  const text = new NewText(context.form, object);
  if (request === undefined) return { object, text, terms: NO_TERMS };
  if (text.isShownSo) request.stored = text;
  if (loop.isOverSince(startMs)) await loop.next();
  const judgement = admission?.validate(request);
  if (judgement !== undefined) await judgement;
  return { object, text, terms: request };
}

/** Sets the fields of a new object that only the server sets. Changes its argument. */
export function shapeNew(context: ResourceContext, object: JsonObject, write: TriedWrite): void {
  stampNewObject(object, context);
  context.definition.strategy.prepareForCreate?.(object, prepareContext(context, write));
}
