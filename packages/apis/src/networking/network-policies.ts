import type { BuiltInResource } from "../built-in-resource";
import { validateNetworkPolicy } from "./network-policy-validation";

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
  rules: { nameFormat: "subdomain", generationFrom: ["spec"], validate: validateNetworkPolicy },
} as const satisfies BuiltInResource;
