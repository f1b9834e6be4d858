// Source: facts, validation/coordination.md.
import type { coordinationV1 } from "@orch/schema";
import { nonNegative, positive } from "../validation/format-rules";
import { fields, validator } from "../validation/rule";

export const validateLease = validator(
  fields<coordinationV1.Lease>({
    spec: fields<coordinationV1.LeaseSpec>({ leaseDurationSeconds: positive, leaseTransitions: nonNegative }),
  }),
);
