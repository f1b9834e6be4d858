// Reads from a custom resource definition the versions in which its objects may be stored, and reduces
// `status.storedVersions` to the storage version after a migration.
import { conflict, isReason, metaOf } from "@orch/machinery";
import type { ResourceStorage, WriteContext } from "@orch/registry";
import { isObject, type JsonObject } from "@orch/schema";

export interface DefinitionState {
  readonly name: string;
  /** Changes when the definition changes. */
  readonly mark: string;
  /** Storage version of the objects. */
  readonly storage: string;
  readonly storedVersions: readonly string[];
}

/** @returns undefined when there is no such definition */
export function definitionState(definitions: ResourceStorage, name: string): DefinitionState | undefined {
  const object = definitions.peek({ namespace: "", name })?.inHub();
  return object && stateOf(object, name);
}

/**
 * Reduces the stored versions to the storage version.
 * @returns false when the definition has changed meanwhile: objects may have been stored in another version
 * @throws StatusError
 */
export async function keepStorageVersionOnly(
  { definitions, write }: { readonly definitions: ResourceStorage; readonly write: WriteContext },
  { name, mark, storage }: DefinitionState,
): Promise<boolean> {
  const cut = (object: JsonObject): JsonObject => {
    const present = stateOf(object, name);
    if (present.mark !== mark || present.storage !== storage)
      throw conflict({ group: definitions.definition.group, resource: definitions.definition.plural }, name, "changed");
    return { ...object, status: { ...(object["status"] as JsonObject), storedVersions: [storage] } };
  };
  const rules = definitions.definition.subresources["status"];
  const subresource = rules && { name: "status", rules };
  try {
    await definitions.changeInPlace(cut, { namespace: "", name }, { ...write, subresource });
    return true;
  } catch (error) {
    if (isReason(error, "Conflict") || isReason(error, "NotFound")) return false;
    throw error;
  }
}

function stateOf(object: JsonObject, name: string): DefinitionState {
  const { uid = "", generation = 0 } = metaOf(object);
  const { spec, status } = object;
  const versions = isObject(spec) && Array.isArray(spec["versions"]) ? spec["versions"].filter(isObject) : [];
  const stored = isObject(status) ? status["storedVersions"] : undefined;
  return {
    name,
    mark: `${uid}/${generation}`,
    storage: String(versions.find((version) => version["storage"] === true)?.["name"] ?? ""),
    storedVersions: Array.isArray(stored) ? stored.map(String) : [],
  };
}
