import { ageColumn, type BuiltInResource, type CellObject, column, nameColumn } from "@orch/apis-model";
import type { resourceV1 } from "@orch/schema";
import { claimConversion } from "./claim-conversion";
import { updateClaimStatus } from "./claim-status-update";
import { validateClaimStatus } from "./claim-status-validation";
import { validateNewClaim } from "./claim-validation";
import { HUB_VERSIONS, V1BETA1 } from "./device-versions";
import { gatedDevices } from "./gated-claim-fields";

type Claim = resourceV1.ResourceClaim;

export const resourceClaims = {
  group: "resource",
  kind: "ResourceClaim",
  plural: "resourceclaims",
  scope: "Namespaced",
  versions: [...HUB_VERSIONS, { ...V1BETA1, conversion: claimConversion }],
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    declared: true,
    gated: gatedDevices("spec.devices"),
    validateCreate: validateNewClaim,
  },
  subresources: {
    status: { keeps: ["spec"], keepsMetadata: true, update: updateClaimStatus, validateUpdate: validateClaimStatus },
  },
  columns: [
    nameColumn,
    column<Claim>("State", "Whether devices are allocated, and reserved for users.", stateOf),
    ageColumn,
  ],
} as const satisfies BuiltInResource;

function stateOf({ metadata, status }: CellObject<Claim>): string {
  const isDeleted = metadata?.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null;
  const states = isDeleted ? ["deleted"] : [];
  if (status?.allocation) {
    states.push("allocated");
    if (status.reservedFor?.length) states.push("reserved");
  } else if (!isDeleted) states.push("pending");
  return states.join(",");
}
