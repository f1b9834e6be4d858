import type { BuiltInResource } from "@orch/apis-model";

export const serviceCidrs = {
  group: "networking",
  kind: "ServiceCIDR",
  plural: "servicecidrs",
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.33" },
    { version: "v1beta1", introduced: "1.31", deprecated: "1.34", removed: "1.37" },
  ],
  rules: { nameFormat: "subdomain", initialStatus: {}, keepOnUpdate: ["status"] },
  subresources: { status: { keeps: ["spec"] } },
} as const satisfies BuiltInResource;
