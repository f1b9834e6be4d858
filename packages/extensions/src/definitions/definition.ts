// A custom resource definition in version v1, as stored or after conversion.
import { conditionAt } from "@orch/apis";
import { metaOf, type ResourceDefinition } from "@orch/machinery";
import type { Entry } from "@orch/registry";
import type { apiextensionsV1, JsonObject } from "@orch/schema";

export type Definition = apiextensionsV1.CustomResourceDefinition;
export type DefinitionVersion = apiextensionsV1.CustomResourceDefinitionVersion;
export type Names = apiextensionsV1.CustomResourceDefinitionNames;

/** Reads a definition from the cache. @param definitions the resource of custom resource definitions */
export function readDefinition(
  entry: Entry,
  { storage, versions, formerVersions = [] }: ResourceDefinition,
): Definition {
  const stored = entry.object();
  const v1 =
    storage.version === "v1" ? storage : [...versions, ...formerVersions].find(({ version }) => version === "v1");
  return (v1?.fromStorage?.(stored) ?? stored) as unknown as Definition;
}

export const isTrue = ({ status }: Definition, type: string): boolean =>
  conditionAt(status as unknown as JsonObject, type)?.["status"] === "True";

export const uidOf = (definition: Definition): string => metaOf(definition as unknown as JsonObject).uid ?? "";

export const isTerminating = (definition: Definition): boolean =>
  Boolean(metaOf(definition as unknown as JsonObject).deletionTimestamp);

/**
 * Reports whether the spec is still that of the creation, so that no object was stored under another spec. A deletion
 * increases the generation, too.
 */
export function isUnchanged(definition: Definition): boolean {
  const { generation = 1 } = metaOf(definition as unknown as JsonObject);
  return Number(generation) <= (isTerminating(definition) ? 2 : 1);
}

/** Returns `<plural>.<group>`. */
export const nameOf = ({ spec }: Definition): string => `${spec.names.plural}.${spec.group}`;
