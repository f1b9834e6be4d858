// Handles requests for definitions that are not served here yet: a client may have learned from another replica that a
// definition is established. A resource that is not found is looked up once more after everything in the store at that
// time is served.
import { setTimeout as pause } from "node:timers/promises";
import type { ResourceStorage } from "@orch/registry";

export interface ArrivingDefinitionsParts {
  /** Storage of custom resource definitions. */
  readonly storage: ResourceStorage;
  /** Resolves when all definitions in the cache are served. */
  readonly caughtUp: () => Promise<void>;
}

/** Bounds the delay of a 404 when the store does not answer. */
const WAIT_MS = 1000;

/**
 * @returns a function whose promise resolves when all definitions established before the call are served, and never
 * rejects. Concurrent calls share one read of the store
 */
export function arrivingDefinitions({ storage, caughtUp }: ArrivingDefinitionsParts): () => Promise<void> {
  const arrived = async (): Promise<void> => {
    await storage.caughtUp?.();
    await caughtUp();
  };
  return () => Promise.race([arrived().catch(() => undefined), pause(WAIT_MS, undefined, { ref: false })]);
}
