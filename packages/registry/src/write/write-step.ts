// The steps that all writes share.

import {
  type AdmissionOperation,
  type AdmissionOptions,
  AdmittedWrite,
  type AskedParts,
  generateUid,
  type MetadataRules,
  type ServedVersion,
  timestamp,
} from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ClientOptions, ObjectKey, WriteContext } from "../registry";
import type { ResourceContext } from "../resource-context";

/** An object as the request's version has it, in the hub's shape. May change and return its argument. @throws NeedsConversion */
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

/** Whether a stored object, as the version shows it, is what the rules see. */
export function hasHubShape({ definition }: ResourceContext, version: ServedVersion): boolean {
  return version === definition.storage && version.toHub === undefined;
}

export function prepareContext(context: ResourceContext, write: WriteContext) {
  return { user: write.user, version: write.version, now: timestamp(context.clock.now()) };
}

export function metadataRules({ definition }: ResourceContext): MetadataRules {
  const { nameErrors, standardFinalizers } = definition.strategy;
  return { scope: definition.scope, nameErrors, ...(standardFinalizers === undefined ? {} : { standardFinalizers }) };
}

/** A write on its way through its tries. */
export type TriedWrite<Write extends WriteContext = WriteContext> = Write & { readonly tries: AdmittedWrite };

export function tried<Write extends WriteContext>(context: ResourceContext, write: Write): TriedWrite<Write> {
  const { admission, randomness } = context;
  return { ...write, tries: new AdmittedWrite(admission, write, () => generateUid(randomness)) };
}

/** What admission is asked in a try. @param name of the object, where the path does not have it */
export function askedParts(
  context: ResourceContext,
  operation: AdmissionOperation,
  at: ObjectKey,
  write: WriteContext & { readonly subresource?: { readonly name: string } },
  objects: Pick<AskedParts, "object" | "oldObject">,
  name = at.name,
): AskedParts {
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
