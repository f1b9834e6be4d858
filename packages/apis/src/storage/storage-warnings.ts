// Warnings about objects of the storage group. Source: Kubernetes documentation, "Well-Known Labels, Annotations and
// Taints".

import {
  fieldAt,
  objectsAt,
  sameValue,
  type WarningContext,
  WarningList,
  warnOfLabel,
  warnOfLabels,
  warnOfPlainLabel,
} from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";

/** Returns the warnings about the topologies of a storage class. */
export function storageClassWarnings(storageClass: JsonObject, context: WarningContext): readonly string[] {
  const list = new WarningList(context);
  if (!list.since("1.27")) return list.texts;
  for (const [position, term] of objectsAt(storageClass, "allowedTopologies").entries()) {
    for (const [nth, { key }] of objectsAt(term, "matchLabelExpressions").entries()) {
      warnOfPlainLabel(key, `allowedTopologies[${position}].matchLabelExpressions[${nth}].key`, list);
    }
  }
  return list.texts;
}

/** Returns the warnings about the topology of a storage capacity. */
export function storageCapacityWarnings({ nodeTopology }: JsonObject, context: WarningContext): readonly string[] {
  const list = new WarningList(context);
  if (!isObject(nodeTopology) || !list.since("1.27")) return list.texts;
  for (const [position, { key }] of objectsAt(nodeTopology, "matchExpressions").entries()) {
    warnOfLabel(key, `nodeTopology.matchExpressions[${position}].key`, list);
  }
  const { matchLabels } = nodeTopology;
  if (isObject(matchLabels)) warnOfLabels(matchLabels, (key) => `nodeTopology.matchLabels.${key}`, list);
  return list.texts;
}

/** Returns the warning about a driver with new token requests that does not choose where tokens are passed. */
export function csiDriverWarnings(driver: JsonObject, { features, old }: WarningContext): readonly string[] {
  const requests = fieldAt(driver, ["spec", "tokenRequests"]);
  if (!features.isOn("CSIServiceAccountTokenSecrets") || !Array.isArray(requests) || requests.length === 0) return [];
  if (fieldAt(driver, ["spec", "serviceAccountTokenInSecrets"]) !== undefined) return [];
  if (old !== undefined && sameValue(requests, fieldAt(old, ["spec", "tokenRequests"]))) return [];
  const advice = "set to true to prevent possible logging of tokens in volume attributes";
  return [`spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, ${advice}`];
}
