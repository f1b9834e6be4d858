import type { BuiltInResource } from "@orch/apis-model";
import { ingressColumns } from "./ingress-columns";
import { ingressConversion } from "./ingress-conversion";
import { validateIngressStatus, validateIngressUpdate, validateNewIngress } from "./ingress-validation";
import { ingressWarnings } from "./network-warnings";

export const ingresses = {
  group: "networking",
  kind: "Ingress",
  plural: "ingresses",
  shortNames: ["ing"],
  scope: "Namespaced",
  versions: [
    { version: "v1", introduced: "1.19" },
    {
      version: "v1beta1",
      introduced: "1.14",
      deprecated: "1.19",
      removed: "1.22",
      replacement: "networking/v1",
      conversion: ingressConversion,
    },
    {
      group: "extensions",
      version: "v1beta1",
      introduced: "1.1",
      deprecated: "1.14",
      removed: "1.22",
      replacement: "networking/v1",
      conversion: ingressConversion,
    },
  ],
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    generationFrom: ["spec"],
    warnings: ingressWarnings,
    validateCreate: validateNewIngress,
    validateUpdate: validateIngressUpdate,
  },
  subresources: {
    status: {
      keeps: ["spec"],
      strictFormats: { "status.loadBalancer.ingress[].ip": "address" },
      validateUpdate: validateIngressStatus,
    },
  },
  columns: ingressColumns,
} as const satisfies BuiltInResource;
