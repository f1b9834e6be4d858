import { ageColumn, type BuiltInResource, type CellObject, column, nameColumn } from "@orch/apis-model";
import type { resourceV1 } from "@orch/schema";
import { claimConversion } from "./claim-conversion";
import { updateClaimStatus } from "./claim-status-update";
import { validateClaimStatus } from "./claim-status-validation";
import { validateClaimUpdate, validateNewClaim } from "./claim-validation";
import { gatedDevices } from "./gated-claim-fields";

type Claim = resourceV1.ResourceClaim;

export const resourceClaims = {
  group: "resource",
  kind: "ResourceClaim",
  plural: "resourceclaims",
  scope: "Namespaced",
  versions: [
    { version: "v1", introduced: "1.34" },
    { version: "v1beta2", introduced: "1.33", deprecated: "1.36", removed: "1.39", replacement: "resource/v1" },
    {
      version: "v1beta1",
      introduced: "1.32",
      deprecated: "1.35",
      removed: "1.38",
      replacement: "resource/v1",
      conversion: claimConversion,
    },
  ],
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    gated: gatedDevices("spec.devices"),
    validateCreate: validateNewClaim,
    validateUpdate: validateClaimUpdate,
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
