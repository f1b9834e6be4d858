// Where admission reads of other objects: the server's own cache, or that of another thread.
import type { KindReader, ObjectReader } from "@orch/admission";
import { kindReader, ObjectAccess, type ObjectAccessDeps } from "./object-access";

export interface AdmissionReaders {
  readonly objects: ObjectReader;
  readonly kinds: KindReader;
  /** Begins to follow what plugins go by. @throws what the cache says */
  start(): Promise<void>;
  close(): void;
}

export function ownReaders(deps: ObjectAccessDeps): AdmissionReaders {
  const objects = new ObjectAccess(deps);
  return { objects, kinds: kindReader(deps), start: () => objects.start(), close: () => objects.close() };
}
