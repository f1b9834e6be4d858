// The steps that all writes share.

import type { AdmissionOperation, AdmissionRequest, MetadataRules, ServedVersion } from "@orch/machinery";
import { timestamp } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ObjectKey, WriteContext } from "../registry";
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

/** @param name of the object, where the path does not have it */
export function admissionRequest(
  context: ResourceContext,
  operation: AdmissionOperation,
  at: ObjectKey,
  write: WriteContext & { readonly subresource?: { readonly name: string } },
  objects: { readonly object?: JsonObject; readonly oldObject?: JsonObject },
  name = at.name,
): AdmissionRequest {
  return {
    operation,
    definition: context.definition,
    version: write.version,
    subresource: write.subresource?.name ?? "",
    namespace: at.namespace,
    name,
    pathName: at.name,
    user: write.user,
    dryRun: write.dryRun,
    premises: [],
    warn: (text) => write.warn(text),
    ...objects,
  };
}
