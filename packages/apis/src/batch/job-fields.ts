// Fields of a job's spec that depend on feature gates.

import type { GatedFields } from "@orch/apis-model";

/** @param spec path of the spec, in a job or in a template */
export const jobFields = (spec: string): GatedFields => ({
  JobBackoffLimitPerIndex: [`${spec}.backoffLimitPerIndex`, `${spec}.maxFailedIndexes`],
  JobManagedBy: [`${spec}.managedBy`],
  JobPodFailurePolicy: [`${spec}.podFailurePolicy`],
  JobPodReplacementPolicy: [`${spec}.podReplacementPolicy`],
  JobSuccessPolicy: [`${spec}.successPolicy`],
  WorkloadWithJob: [`${spec}.scheduling`],
});
