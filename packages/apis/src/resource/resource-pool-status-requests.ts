import type { BuiltInResource } from "@orch/apis-model";
import { poolStatusColumns } from "./pool-status-columns";
import { validatePoolStatus } from "./pool-status-validation";

export const resourcePoolStatusRequests = {
  group: "resource",
  kind: "ResourcePoolStatusRequest",
  plural: "resourcepoolstatusrequests",
  scope: "Cluster",
  versions: [{ version: "v1alpha3", introduced: "1.36", deprecated: "1.39", removed: "1.42" }],
  rules: {
    nameFormat: "subdomain",
    unconditionalUpdate: false,
    keepOnUpdate: ["status"],
    gated: { DRAPartitionableDevicesType: ["spec.defaultPartitionTypeAttribute"] },
    declared: true,
    // A request has no status until it is answered.
    create: (request) => {
      delete request["status"];
    },
  },
  defaults: { fields: { "spec.limit": 100 } },
  subresources: { status: { keeps: ["spec"], keepsMetadata: true, validateUpdate: validatePoolStatus } },
  columns: poolStatusColumns,
} as const satisfies BuiltInResource;
