// Interface of the server that serves the resources of this package.
import type { ResourceDefinition } from "@orch/machinery";
import type { Entry, ResourceStorage } from "@orch/registry";
import type { JsonObject } from "@orch/schema";

/** Serves resources. */
export interface ResourceHost {
  /**
   * Installs resources, replacing earlier ones of the same path.
   * @returns undefined for a definition whose path belongs to another resource
   */
  install(definitions: readonly ResourceDefinition[]): readonly (ResourceStorage | undefined)[];
  remove(definition: ResourceDefinition): void;
  /** Patches the status of a large definition in another thread. Absent: there is no other thread. */
  readonly patchStatus?: (entry: Entry, operations: readonly JsonObject[]) => Promise<void>;
  /** Deletes one object of any size. */
  delete(
    storage: ResourceStorage,
    of: { readonly namespace: string; readonly name: string; readonly entry?: Entry },
  ): Promise<void>;
}
