// Validation of the status of pool status requests. proto/resource/v1alpha3.proto declares the other rules. Source:
// pkg/apis/resource/validation/validation_resourcepoolstatusrequest.go.
import { conditions, immutable, updateValidator } from "@orch/apis-model";
import type { resourceV1alpha3 } from "@orch/schema";

type Request = resourceV1alpha3.ResourcePoolStatusRequest;

/** Refuses a change of the status, because an answer is given once. The first one has well-formed conditions. */
export const validatePoolStatus = updateValidator<Request>(({ status }, { status: old }, at, report) => {
  const place = at.field("status");
  if (old) immutable(status, old, place, report);
  else if (status) conditions(status.conditions ?? [], place.field("conditions"), report);
});
