// How the parts fare that this server rests on. Source: facts, strategy.json "componentstatuses", columns.json "ComponentStatus".
import { type ResourceDefinition, unclassified } from "@orch/machinery";
import { computedStorage, type ResourceStorage } from "@orch/registry";
import type { JsonObject } from "@orch/schema";

export interface Component {
  readonly name: string;
  /** @throws Error where it does not work */
  readonly probe: () => Promise<unknown>;
}

export function componentStatuses(definition: ResourceDefinition, components: readonly Component[]): ResourceStorage {
  return computedStorage(
    definition,
    () => Promise.all(components.map(statusOf)),
    (name) => unclassified(`Component not found: ${name}`),
  );
}

async function statusOf({ name, probe }: Component): Promise<JsonObject> {
  return { metadata: { name, creationTimestamp: null }, conditions: [await healthOf(probe)] };
}

async function healthOf(probe: Component["probe"]): Promise<JsonObject> {
  try {
    await probe();
    return { type: "Healthy", status: "True", message: "ok" };
  } catch (error) {
    return { type: "Healthy", status: "False", message: (error as Error).message };
  }
}
