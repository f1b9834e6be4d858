// Drops duplicate ownerReferences with the same UID, and warns the client.
import { dropRepeatedOwners } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { WriteContext } from "../registry";

/** @param by the source of the object's present state: the client, or mutating admission */
export function settleOwners(object: JsonObject, write: WriteContext, by: "client" | "admission"): void {
  const uids = dropRepeatedOwners(object);
  if (uids.length === 0) return;
  const after = by === "client" ? "" : " after mutating admission";
  write.warn(
    `.metadata.ownerReferences contains duplicate entries${after}; one of each is kept; duplicate UID(s) observed: ${uids.join(", ")}`,
  );
}
