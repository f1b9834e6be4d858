// The identity of the server for its own writes.
import { PRIVILEGED_GROUP } from "@orch/auth";
import type { ResourceStorage, WriteContext } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";

const OWN_USER = Object.freeze({ name: "system:apiserver", groups: [PRIVILEGED_GROUP] });

/** Context for writes by the server itself, in the storage version. */
export function serverWrite(storage: ResourceStorage, vocabulary: Vocabulary): WriteContext {
  const manager = vocabulary.fieldManagers.apiserver;
  return { version: storage.definition.storage, user: OWN_USER, manager, dryRun: false, warn() {} };
}
