// Validation of leases. Source: pkg/apis/coordination/validation/validation.go.
import type { coordinationV1 } from "@orch/schema";
import { fields, validator } from "../model/rules/rule";
import { nonNegative, positive } from "../values/format-rules";

export const validateLease = validator(
  fields<coordinationV1.Lease>({
    spec: fields<coordinationV1.LeaseSpec>({ leaseDurationSeconds: positive, leaseTransitions: nonNegative }),
  }),
);
