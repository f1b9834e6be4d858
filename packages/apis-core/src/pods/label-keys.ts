// Label keys of pod affinity and of topology spread constraints: a new pod gets its own label values as terms of the
// selector. Source: KEP-3633, "matchLabelKeys and mismatchLabelKeys to PodAffinity and PodAntiAffinity"; KEP-3243.

import { type Features, fieldAt, objectAt, objectsAt } from "@orch/apis-model";
import { isObject, type JsonArray, type JsonObject } from "@orch/schema";

export function mergeLabelKeys(pod: JsonObject, features: Features): void {
  const spec = objectAt(pod, "spec");
  const { affinity, topologySpreadConstraints } = spec;
  if (affinity === undefined && topologySpreadConstraints === undefined) return;
  const labels = fieldAt(pod, ["metadata", "labels"]);
  const own = isObject(labels) ? labels : {};
  if (isObject(affinity) && features.isOn("MatchLabelKeysInPodAffinity")) {
    for (const term of affinityTerms(affinity)) addTerms(term, own);
  }
  if (
    features.isOn("MatchLabelKeysInPodTopologySpread") &&
    features.isOn("MatchLabelKeysInPodTopologySpreadSelectorMerge")
  ) {
    for (const constraint of objectsAt(spec, "topologySpreadConstraints")) addTerms(constraint, own);
  }
}

/** Returns the required and preferred terms of pod affinity and anti-affinity. */
function affinityTerms(affinity: JsonObject): JsonObject[] {
  return ["podAffinity", "podAntiAffinity"].flatMap((name) => {
    const part = affinity[name];
    if (!isObject(part)) return [];
    const preferred = objectsAt(part, "preferredDuringSchedulingIgnoredDuringExecution");
    return [
      ...objectsAt(part, "requiredDuringSchedulingIgnoredDuringExecution"),
      ...preferred.flatMap(({ podAffinityTerm }) => (isObject(podAffinityTerm) ? [podAffinityTerm] : [])),
    ];
  });
}

/** Adds the terms of the keys that the pod has as labels. An absent selector selects nothing and stays absent. */
function addTerms(holder: JsonObject, own: JsonObject): void {
  const { labelSelector, matchLabelKeys, mismatchLabelKeys } = holder;
  if (matchLabelKeys === undefined && mismatchLabelKeys === undefined) return;
  if (!isObject(labelSelector)) return;
  const terms = [...termsOf(matchLabelKeys, "In", own), ...termsOf(mismatchLabelKeys, "NotIn", own)];
  if (terms.length === 0) return;
  holder["labelSelector"] = {
    ...labelSelector,
    matchExpressions: [...objectsAt(labelSelector, "matchExpressions"), ...terms] as JsonArray,
  };
}

function termsOf(keys: unknown, operator: string, own: JsonObject): JsonObject[] {
  if (!Array.isArray(keys)) return [];
  return keys.flatMap((key) => {
    const value = typeof key === "string" ? own[key] : undefined;
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
}
