// Who has been told by another replica that a definition is established may come here before this one has heard of it: what is not found
// is looked for once more when all that is in the store by then is served here.
import { setTimeout as pause } from "node:timers/promises";
import type { ResourceStorage } from "@orch/registry";

export interface ArrivingDefinitionsParts {
  /** Of definitions. */
  readonly storage: ResourceStorage;
  /** Resolves once what the cache has of them is served. */
  readonly caughtUp: () => Promise<void>;
}

/** A store that does not answer makes nobody wait longer to be told that there is nothing. */
const WAIT_MS = 1000;

/** @returns what resolves once all that was established before is served, and never rejects. Those who ask at one time share one look at the store */
export function arrivingDefinitions({ storage, caughtUp }: ArrivingDefinitionsParts): () => Promise<void> {
  const arrived = async (): Promise<void> => {
    await storage.caughtUp?.();
    await caughtUp();
  };
  return () => Promise.race([arrived().catch(() => undefined), pause(WAIT_MS, undefined, { ref: false })]);
}
