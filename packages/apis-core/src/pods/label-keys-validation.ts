// Validation of label keys of pod affinity and topology spread constraints. The selector already has the terms of the
// keys. Source: pkg/apis/core/validation/validation.go.

import { each, type Place, qualifiedName, type Report, type Rule } from "@orch/apis-model";
import type { coreV1, metaV1 } from "@orch/schema";

export const affinityLabelKeys: Rule<coreV1.PodAffinityTerm> = (term, at, report) => {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = term;
  if (matchLabelKeys.length === 0 && mismatchLabelKeys.length === 0) return;
  if (!report.features.isOn("MatchLabelKeysInPodAffinity")) return;
  keyNames(matchLabelKeys, labelSelector, at.field("matchLabelKeys"), report);
  keyNames(mismatchLabelKeys, labelSelector, at.field("mismatchLabelKeys"), report);
  selectedTwice(matchLabelKeys, labelSelector, at, report);
  const other = new Set(mismatchLabelKeys);
  matchLabelKeys.forEach((key, position) => {
    if (!other.has(key)) return;
    const place = at.field("matchLabelKeys").item(position);
    report.invalid(place, key, "exists in both matchLabelKeys and mismatchLabelKeys");
  });
};

export const spreadLabelKeys: Rule<coreV1.TopologySpreadConstraint> = (constraint, at, report) => {
  const { matchLabelKeys = [], labelSelector } = constraint;
  if (matchLabelKeys.length === 0 || !report.features.isOn("MatchLabelKeysInPodTopologySpread")) return;
  keyNames(matchLabelKeys, labelSelector, at.field("matchLabelKeys"), report);
  selectedTwice(matchLabelKeys, labelSelector, at, report);
};

const names = each(qualifiedName);

type Selector = metaV1.LabelSelector | undefined;

function keyNames(keys: readonly string[], selector: Selector, at: Place, report: Report): void {
  if (keys.length === 0) return;
  if (selector === undefined) report.forbidden(at, "must not be specified when labelSelector is not set");
  else names(keys, at, report);
}

/** Rejects a key that the client's selector has beside the term of the key. */
function selectedTwice(keys: readonly string[], selector: Selector, at: Place, report: Report): void {
  if (selector === undefined || keys.length === 0) return;
  const selected = new Set(Object.keys(selector.matchLabels ?? {}));
  const twice = new Set<string>();
  for (const { key } of selector.matchExpressions ?? []) {
    if (selected.has(key)) twice.add(key);
    selected.add(key);
  }
  // Kubernetes reports the position of the key in the term itself.
  const list = report.features.since("1.34") ? at : at.field("matchLabelKeys");
  keys.forEach((key, position) => {
    if (twice.has(key)) report.invalid(list.item(position), key, "exists in both matchLabelKeys and labelSelector");
  });
}
