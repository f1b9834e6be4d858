// References to owners that come twice: one of them is enough, and the client hears of it.
import { dropRepeatedOwners } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { WriteContext } from "../registry";

/** @param by who wrote the object as it is now: the client, or what admission changed since */
export function settleOwners(object: JsonObject, write: WriteContext, by: "client" | "admission"): void {
  const uids = dropRepeatedOwners(object);
  if (uids.length === 0) return;
  const after = by === "client" ? "" : " after mutating admission";
  write.warn(
    `.metadata.ownerReferences contains duplicate entries${after}; one of each is kept; duplicate UID(s) observed: ${uids.join(", ")}`,
  );
}
