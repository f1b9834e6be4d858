// What the extensions ask of the server that serves their resources.
import type { ResourceDefinition } from "@orch/machinery";
import type { Entry, ResourceStorage } from "@orch/registry";
import type { JsonObject } from "@orch/schema";

/** Where resources are served. */
export interface ResourceHost {
  /** Each in the place of what is served of the same resource. @returns undefined for one whose path is another resource's */
  install(definitions: readonly ResourceDefinition[]): readonly (ResourceStorage | undefined)[];
  remove(definition: ResourceDefinition): void;
  /** Patches the status of a large definition where it holds up nobody. Absent: there is no such place. */
  readonly patchStatus?: (entry: Entry, operations: readonly JsonObject[]) => Promise<void>;
  /** Deletes one object, whatever its size. */
  delete(
    storage: ResourceStorage,
    of: { readonly namespace: string; readonly name: string; readonly entry?: Entry },
  ): Promise<void>;
}
