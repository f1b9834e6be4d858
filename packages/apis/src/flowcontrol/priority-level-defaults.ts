// Defaults of priority level configurations. In v1 an absent number of shares differs from 0. The other versions have no
// absent numbers: an annotation tells that 0 is meant in v1beta3. Source: pkg/apis/flowcontrol/v1beta3/defaults.go.
import { type DefaultRules, fieldAt } from "@orch/apis-model";
import { isObject, type JsonObject, memberOf, type Vocabulary } from "@orch/schema";

const SHARES = 30;
const QUEUES: DefaultRules = { fields: { queues: 64, handSize: 8, queueLengthLimit: 50 } };
const NOMINAL: DefaultRules = { fields: { nominalConcurrencyShares: SHARES, lendablePercent: 0 } };
const ASSURED: DefaultRules = { fields: { assuredConcurrencyShares: SHARES } };
const EXEMPT: DefaultRules = { fields: { nominalConcurrencyShares: 0, lendablePercent: 0 } };

export const PRIORITY_LEVEL_DEFAULTS: Readonly<Record<string, DefaultRules>> = {
  "flowcontrol/v1.QueuingConfiguration": QUEUES,
  "flowcontrol/v1beta3.QueuingConfiguration": QUEUES,
  "flowcontrol/v1beta2.QueuingConfiguration": QUEUES,
  "flowcontrol/v1beta1.QueuingConfiguration": QUEUES,
  "flowcontrol/v1.LimitedPriorityLevelConfiguration": NOMINAL,
  "flowcontrol/v1beta3.LimitedPriorityLevelConfiguration": { fields: { lendablePercent: 0 } },
  "flowcontrol/v1beta2.LimitedPriorityLevelConfiguration": ASSURED,
  "flowcontrol/v1beta1.LimitedPriorityLevelConfiguration": ASSURED,
  "flowcontrol/v1.ExemptPriorityLevelConfiguration": EXEMPT,
  "flowcontrol/v1beta3.ExemptPriorityLevelConfiguration": EXEMPT,
};

/** Sets the shares of a level in v1beta3, unless an annotation keeps 0. */
export function defaultShares(level: JsonObject, vocabulary: Vocabulary): void {
  const limited = fieldAt(level, ["spec", "limited"]);
  if (!isObject(limited) || (memberOf(limited, "nominalConcurrencyShares") ?? 0) !== 0) return;
  const annotations = fieldAt(level, ["metadata", "annotations"]);
  const keepsZero = vocabulary.annotations.flowcontrolV1beta3PreserveZeroConcurrencyShares;
  if (isObject(annotations) && Object.hasOwn(annotations, keepsZero)) return;
  limited["nominalConcurrencyShares"] = SHARES;
}
