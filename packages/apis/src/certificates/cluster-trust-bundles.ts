import type { BuiltInResource } from "@orch/apis-model";

export const clusterTrustBundles = {
  group: "certificates",
  kind: "ClusterTrustBundle",
  plural: "clustertrustbundles",
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.37" },
    { version: "v1beta1", introduced: "1.33", deprecated: "1.37", removed: "1.40", replacement: "certificates/v1" },
  ],
  rules: { nameFormat: "pathSegment", unconditionalUpdate: false },
} as const satisfies BuiltInResource;
