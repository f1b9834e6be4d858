// Interface through which admission reads other objects: the server's own cache, or the cache of another thread.
import { type Allowances, type KindReader, type ObjectReader, TokenBuckets } from "@orch/admission";
import { systemClock } from "@orch/platform";
import { kindReader, ObjectAccess, type ObjectAccessDeps } from "./object-access";

export interface AdmissionReaders {
  readonly objects: ObjectReader;
  readonly kinds: KindReader;
  readonly allowances: Allowances;
  /** See ObjectAccess. */
  readsFromCache(plural: string): boolean;
  /** Starts to follow the resources that plugins read. @throws the error of the cache */
  start(): Promise<void>;
  close(): void;
}

export function ownReaders(deps: ObjectAccessDeps): AdmissionReaders {
  const objects = new ObjectAccess(deps);
  const allowances = new TokenBuckets(systemClock);
  return {
    ...{ objects, kinds: kindReader(deps), allowances },
    readsFromCache: (plural) => objects.readsFromCache(plural),
    start: () => objects.start(),
    close: () => objects.close(),
  };
}
