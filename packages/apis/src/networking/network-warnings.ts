// Warnings about network policies and ingresses. Sources: KEP-4858, "IP/CIDR validation improvements"; Kubernetes
// documentation, "Ingress".
import { fieldAt, objectAt, objectsAt, type WarningContext, WarningList, warnOfRange } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";

/** Directions of rules, with the field that has their peers. */
const DIRECTIONS = [
  ["ingress", "from"],
  ["egress", "to"],
] as const;

/** Returns the warnings about ranges that are not in canonical form. */
export function networkPolicyWarnings(policy: JsonObject, context: WarningContext): readonly string[] {
  const list = new WarningList(context);
  if (!list.since("1.33")) return list.texts;
  for (const [direction, peers] of DIRECTIONS) {
    for (const [position, rule] of objectsAt(objectAt(policy, "spec"), direction).entries()) {
      for (const [nth, { ipBlock }] of objectsAt(rule, peers).entries()) {
        if (!isObject(ipBlock)) continue;
        const place = `spec.${direction}[${position}].${peers}[${nth}].ipBlock`;
        warnOfRange(ipBlock["cidr"], `${place}.cidr`, list);
        const { except } = ipBlock;
        if (!Array.isArray(except)) continue;
        for (const [index, range] of except.entries()) warnOfRange(range, `${place}.except[${index}]`, list);
      }
    }
  }
  return list.texts;
}

/** Returns the warning about a new ingress that names its class in an annotation alone. */
export function ingressWarnings(ingress: JsonObject, { vocabulary, features, old }: WarningContext): readonly string[] {
  const { ingressClass: name } = vocabulary.annotations;
  if (old !== undefined || !features.since("1.27")) return [];
  if (fieldAt(ingress, ["metadata", "annotations", name]) === undefined) return [];
  if (fieldAt(ingress, ["spec", "ingressClassName"]) !== undefined) return [];
  return [`annotation ${JSON.stringify(name)} is deprecated, please use 'spec.ingressClassName' instead`];
}
