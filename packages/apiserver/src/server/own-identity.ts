// The server as its own client.
import { PRIVILEGED_GROUP } from "@orch/auth";
import type { ResourceStorage, WriteContext } from "@orch/registry";

const OWN_USER = Object.freeze({ name: "system:apiserver", groups: [PRIVILEGED_GROUP] });

/** For writes that the server makes of itself, in the storage version. */
export function ownWrite(storage: ResourceStorage): WriteContext {
  return { version: storage.definition.storage, user: OWN_USER, dryRun: false, warn() {} };
}
