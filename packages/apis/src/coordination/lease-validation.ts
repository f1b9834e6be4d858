// Validation of leases. Source: pkg/apis/coordination/validation/validation.go.
import type { coordinationV1 } from "@orch/schema";
import { nonNegative, positive } from "../formats/format-rules";
import { fields, validator } from "../model/rules/rule";

export const validateLease = validator(
  fields<coordinationV1.Lease>({
    spec: fields<coordinationV1.LeaseSpec>({ leaseDurationSeconds: positive, leaseTransitions: nonNegative }),
  }),
);
