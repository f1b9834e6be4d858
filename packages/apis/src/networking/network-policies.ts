import {
  ageColumn,
  type BuiltInResource,
  column,
  nameColumn,
  objectAt,
  objectsAt,
  selectorText,
} from "@orch/apis-model";
import type { JsonObject, networkingV1 } from "@orch/schema";
import { validateNetworkPolicy } from "./network-policy-validation";
import { networkPolicyWarnings } from "./network-warnings";

export const networkPolicies = {
  group: "networking",
  kind: "NetworkPolicy",
  plural: "networkpolicies",
  shortNames: ["netpol"],
  scope: "Namespaced",
  versions: [
    { version: "v1", introduced: "1.8" },
    {
      group: "extensions",
      version: "v1beta1",
      introduced: "1.3",
      deprecated: "1.9",
      removed: "1.16",
      replacement: "networking/v1",
    },
  ],
  rules: {
    nameFormat: "subdomain",
    generationFrom: ["spec"],
    warnings: networkPolicyWarnings,
    validate: validateNetworkPolicy,
    strictFormats: {
      "spec.podSelector": "selector",
      "spec.ingress[].from[].podSelector": "selector",
      "spec.ingress[].from[].namespaceSelector": "selector",
      "spec.ingress[].from[].ipBlock.cidr": "range",
      "spec.ingress[].from[].ipBlock.except[]": "range",
      "spec.egress[].to[].podSelector": "selector",
      "spec.egress[].to[].namespaceSelector": "selector",
      "spec.egress[].to[].ipBlock.cidr": "range",
      "spec.egress[].to[].ipBlock.except[]": "range",
    },
  },
  defaults: { then: (policy) => choosePolicyTypes(objectAt(policy, "spec")) },
  columns: [
    nameColumn,
    column<networkingV1.NetworkPolicy>("Pod-Selector", "Which pods it is for.", ({ spec }) =>
      selectorText(spec?.podSelector),
    ),
    ageColumn,
  ],
} as const satisfies BuiltInResource;

/** Sets the default policy types: Ingress, and Egress when there are egress rules. */
function choosePolicyTypes(spec: JsonObject): void {
  const { policyTypes } = spec;
  if (Array.isArray(policyTypes) && policyTypes.length > 0) return;
  spec["policyTypes"] = objectsAt(spec, "egress").length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
}
