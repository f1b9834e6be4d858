// Validation of log options. Source: pkg/apis/core/validation/validation.go.

import { all, fields, nonNegative, positive, type Rule, validator } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";

const oneBeginning: Rule<coreV1.PodLogOptions> = ({ sinceSeconds, sinceTime }, at, report) => {
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    report.forbidden(at, "at most one of `sinceTime` or `sinceSeconds` may be specified");
  }
};

/** Returns the errors of the options, given as an object of their kind. */
export const podLogOptionsErrors = validator(
  all(
    fields<coreV1.PodLogOptions>({ tailLines: nonNegative, limitBytes: positive, sinceSeconds: positive }),
    oneBeginning,
  ),
);
