// Validation of CSI drivers. Source: pkg/apis/storage/validation/validation.go.

import {
  all,
  each,
  eachAtList,
  fields,
  immutable,
  oneOf,
  type Rule,
  rangeOf,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { storageV1 } from "@orch/schema";

const TOKEN_SECONDS = { min: 600, max: 2 ** 32 } as const;

/** Defaults set these fields, so that only null leaves them absent. */
const decided: Rule<storageV1.CSIDriverSpec> = ({ attachRequired, podInfoOnMount }, at, report) => {
  if (attachRequired === undefined) report.required(at.field("attachedRequired"));
  if (podInfoOnMount === undefined) report.required(at.field("podInfoOnMount"));
};

/** Rejects duplicate audiences. The empty audience means the API server and may occur once. */
const distinctAudiences: Rule<readonly storageV1.TokenRequest[]> = (requests, at, report) => {
  const seen = new Set<string>();
  requests.forEach(({ audience }, position) => {
    if (seen.has(audience)) report.duplicate(at.item(position).field("audience"), audience);
    seen.add(audience);
  });
};

const UPDATE_SECONDS_MIN = 10;

const updatePeriod: Rule<number> = (value, at, report) => {
  if (value >= UPDATE_SECONDS_MIN || !report.features.isOn("MutableCSINodeAllocatableCount")) return;
  report.invalid(at, value, `must be greater than or equal to ${UPDATE_SECONDS_MIN} seconds`);
};

/** Requires token requests for tokens in secrets. Source: KEP-5538, "CSI driver opt-in for service account tokens". */
const tokensInSecrets: Rule<storageV1.CSIDriverSpec> = (spec, at, report) => {
  if (!report.features.since("1.36")) return;
  if (spec.serviceAccountTokenInSecrets === undefined || (spec.tokenRequests ?? []).length > 0) return;
  report.invalid(at.field("serviceAccountTokenInSecrets"), spec.serviceAccountTokenInSecrets, "requires tokenRequests");
};

export const validateCsiDriver = validator(
  fields<storageV1.CSIDriver>({
    spec: all(
      decided,
      tokensInSecrets,
      fields<storageV1.CSIDriverSpec>({
        fsGroupPolicy: oneOf("File", "None", "ReadWriteOnceWithFSType"),
        tokenRequests: all(
          distinctAudiences,
          each(fields<storageV1.TokenRequest>({ expirationSeconds: rangeOf(TOKEN_SECONDS.min, TOKEN_SECONDS.max) })),
        ),
        volumeLifecycleModes: eachAtList(oneOf("Persistent", "Ephemeral")),
        nodeAllocatableUpdatePeriodSeconds: updatePeriod,
      }),
    ),
  }),
);

/** Fixes the whole spec before 1.27. Since then proto/ declares which other fields are immutable. */
export const validateCsiDriverUpdate = updateValidator<storageV1.CSIDriver>((next, old, at, report) => {
  const place = at.field("spec");
  if (!report.features.since("1.27")) {
    immutable(next.spec, old.spec, place, report);
    return;
  }
  immutable(next.spec.attachRequired, old.spec.attachRequired, place.field("attachedRequired"), report);
});
