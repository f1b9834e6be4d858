// Defaults of priority level configurations. Only v1 distinguishes 0 shares from absent ones.
import type { DefaultRules } from "@orch/apis-model";

const QUEUES: DefaultRules = { fields: { queues: 64, handSize: 8, queueLengthLimit: 50 } };
const NOMINAL: DefaultRules = { fields: { nominalConcurrencyShares: 30 } };
const ASSURED: DefaultRules = { fields: { assuredConcurrencyShares: 30 } };

export const PRIORITY_LEVEL_DEFAULTS: Readonly<Record<string, DefaultRules>> = {
  "flowcontrol/v1.QueuingConfiguration": QUEUES,
  "flowcontrol/v1beta3.QueuingConfiguration": QUEUES,
  "flowcontrol/v1beta2.QueuingConfiguration": QUEUES,
  "flowcontrol/v1beta1.QueuingConfiguration": QUEUES,
  "flowcontrol/v1.LimitedPriorityLevelConfiguration": NOMINAL,
  "flowcontrol/v1beta3.LimitedPriorityLevelConfiguration": NOMINAL,
  "flowcontrol/v1beta2.LimitedPriorityLevelConfiguration": ASSURED,
  "flowcontrol/v1beta1.LimitedPriorityLevelConfiguration": ASSURED,
};
