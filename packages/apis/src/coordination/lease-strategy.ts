// Strategy of a coordinated leader election. Source: pkg/apis/coordination/validation/validation.go.
import type { Rule } from "@orch/apis-model";
import { qualifiedNameErrors } from "@orch/machinery";

export const OLDEST_EMULATION_VERSION = "OldestEmulationVersion";

/** Requires a known strategy, or one with the domain of its author. The path is the one that Kubernetes reports. */
export const leaseStrategy: Rule<string> = (strategy, at, report) => {
  const place = at.field("strategy");
  if (strategy.includes("/")) report.misformed(place, strategy, qualifiedNameErrors(strategy));
  else if (strategy !== OLDEST_EMULATION_VERSION) report.notSupported(place, strategy, [OLDEST_EMULATION_VERSION]);
};
