import type { BuiltInResource } from "@orch/apis-model";

export const podCertificateRequests = {
  group: "certificates",
  kind: "PodCertificateRequest",
  plural: "podcertificaterequests",
  scope: "Namespaced",
  versions: [
    { version: "v1", introduced: "1.37" },
    {
      version: "v1beta1",
      introduced: "1.35",
      deprecated: "1.37",
      removed: "1.40",
      replacement: "certificates/v1",
      conversion: "notYet",
    },
  ],
  rules: { nameFormat: "subdomain", initialStatus: {}, keepOnUpdate: ["status"] },
  subresources: { status: { keeps: ["spec"] } },
} as const satisfies BuiltInResource;
