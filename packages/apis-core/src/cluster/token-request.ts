// Validation and defaults of token requests for service accounts. Source:
// pkg/apis/authentication/validation/validation.go.

import { validator } from "@orch/apis-model";
import { type authenticationV1, isObject, type JsonObject } from "@orch/schema";

export const TOKEN_REQUEST = { group: "authentication", version: "v1", kind: "TokenRequest" } as const;

/** Range of the lifetime of a token in seconds. */
const LIFE = { min: 600, max: 2 ** 32 } as const;

const USUAL_LIFE = 3600;

export function fillTokenRequest(request: JsonObject): void {
  const { spec } = request;
  if (isObject(spec)) spec["expirationSeconds"] ??= USUAL_LIFE;
  else request["spec"] = { expirationSeconds: USUAL_LIFE };
}

export const tokenRequestErrors = validator<authenticationV1.TokenRequest>(({ spec }, at, report) => {
  const { expirationSeconds } = spec ?? {};
  if (expirationSeconds == null) return;
  const seconds = Number(expirationSeconds);
  const place = at.field("spec").field("expirationSeconds");
  // Compared as it was written, because a 64-bit integer may not fit a JavaScript number.
  if (seconds < LIFE.min) report.invalid(place, expirationSeconds, "a token lives at least 10 minutes");
  if (seconds > LIFE.max) report.invalid(place, expirationSeconds, "a token lives at most 2^32 seconds");
});
