// Changes to the status of a claim before it is validated. Source: pkg/registry/resource/resourceclaim/strategy.go.
import { dropperOf, type Features, objectAt, type RuleContext } from "@orch/apis-model";
import type { JsonObject } from "@orch/schema";
import { allocatedDevices, deviceIdentity } from "./allocated-devices";
import { GATED_CLAIM_STATUS } from "./gated-claim-fields";

type Dropper = ReturnType<typeof dropperOf>;

const droppers = new WeakMap<Features, { readonly drop: Dropper }>();

/** Drops fields of disabled features, and what drivers reported of devices that are no longer allocated. */
export function updateClaimStatus(claim: JsonObject, old: JsonObject, { features }: RuleContext): void {
  let known = droppers.get(features);
  if (known === undefined) {
    known = { drop: dropperOf(GATED_CLAIM_STATUS, features) };
    droppers.set(features, known);
  }
  known.drop?.(claim, old);
  dropDeallocated(objectAt(claim, "status"), old);
}

function dropDeallocated(status: JsonObject, old: JsonObject): void {
  const { devices } = status;
  if (!Array.isArray(devices)) return;
  const before = allocatedDevices(old["status"]);
  const now = allocatedDevices(status);
  const kept = devices.filter((device) => {
    const identity = deviceIdentity(device);
    return now.has(identity) || !before.has(identity);
  });
  if (kept.length === devices.length && kept.length > 0) return;
  if (kept.length > 0) status["devices"] = kept;
  else delete status["devices"];
}
