import {
  ageColumn,
  all,
  type BuiltInResource,
  column,
  fields,
  nameColumn,
  nonNegative,
  positive,
  type Rule,
  validator,
} from "@orch/apis-model";
import type { coordinationV1 } from "@orch/schema";
import { leaseStrategy } from "./lease-strategy";

const preferredWithStrategy: Rule<coordinationV1.LeaseSpec> = ({ preferredHolder, strategy }, at, report) => {
  if (preferredHolder && !strategy)
    report.forbidden(at.field("preferredHolder"), "may only be specified if `strategy` is defined");
};

/** Validation of leases. Source: pkg/apis/coordination/validation/validation.go. */
const validateLease = validator(
  fields<coordinationV1.Lease>({
    spec: all(
      fields<coordinationV1.LeaseSpec>({
        leaseDurationSeconds: positive,
        leaseTransitions: nonNegative,
        strategy: leaseStrategy,
      }),
      preferredWithStrategy,
    ),
  }),
);

export const leases = {
  group: "coordination",
  kind: "Lease",
  plural: "leases",
  scope: "Namespaced",
  versions: [
    { version: "v1", introduced: "1.14" },
    { version: "v1beta1", introduced: "1.12", deprecated: "1.19", removed: "1.22", replacement: "coordination/v1" },
  ],
  rules: {
    nameFormat: "subdomain",
    createOnUpdate: true,
    unconditionalUpdate: false,
    validate: validateLease,
    gated: {
      CoordinatedLeaderElection: ["spec.strategy", "spec.preferredHolder"],
    },
  },
  columns: [
    nameColumn,
    column<coordinationV1.Lease>("Holder", "Who has the lease.", ({ spec }) => spec?.holderIdentity ?? ""),
    ageColumn,
  ],
} as const satisfies BuiltInResource;
