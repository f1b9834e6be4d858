// Where admission reads of other objects: the server's own cache, or that of another thread.
import { type Allowances, KeptAllowances, type KindReader, type ObjectReader } from "@orch/admission";
import { systemClock } from "@orch/platform";
import { kindReader, ObjectAccess, type ObjectAccessDeps } from "./object-access";

export interface AdmissionReaders {
  readonly objects: ObjectReader;
  readonly kinds: KindReader;
  readonly allowances: Allowances;
  /** See ObjectAccess. */
  readsFromCache(plural: string): boolean;
  /** Begins to follow what plugins go by. @throws what the cache says */
  start(): Promise<void>;
  close(): void;
}

export function ownReaders(deps: ObjectAccessDeps): AdmissionReaders {
  const objects = new ObjectAccess(deps);
  const allowances = new KeptAllowances(systemClock);
  return {
    ...{ objects, kinds: kindReader(deps), allowances },
    readsFromCache: (plural) => objects.readsFromCache(plural),
    start: () => objects.start(),
    close: () => objects.close(),
  };
}
