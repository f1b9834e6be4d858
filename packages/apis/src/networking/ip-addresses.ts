import type { BuiltInResource } from "@orch/apis-model";

export const ipAddresses = {
  group: "networking",
  kind: "IPAddress",
  plural: "ipaddresses",
  shortNames: ["ip"],
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.33" },
    { version: "v1beta1", introduced: "1.31", deprecated: "1.34", removed: "1.37" },
  ],
  rules: { nameFormat: "pathSegment" },
} as const satisfies BuiltInResource;
