import { ageColumn, type BuiltInResource, column, nameColumn } from "@orch/apis-model";
import type { networkingV1 } from "@orch/schema";
import { validateNewServiceCidr, validateServiceCidrUpdate } from "./service-cidr-validation";

export const serviceCidrs = {
  group: "networking",
  kind: "ServiceCIDR",
  plural: "servicecidrs",
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.33" },
    { version: "v1beta1", introduced: "1.31", deprecated: "1.34", removed: "1.37" },
  ],
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    validateCreate: validateNewServiceCidr,
    validateUpdate: validateServiceCidrUpdate,
  },
  subresources: { status: { keeps: ["spec"] } },
  columns: [
    nameColumn,
    column<networkingV1.ServiceCIDR>("CIDRs", "The ranges of addresses.", ({ spec }) => (spec?.cidrs ?? []).join(",")),
    ageColumn,
  ],
} as const satisfies BuiltInResource;
