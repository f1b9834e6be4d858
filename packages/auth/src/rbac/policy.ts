// Stored roles and bindings, read for evaluation. Source: Kubernetes documentation, "Using RBAC Authorization", "API
// objects".
import type { JsonObject, JsonValue } from "@orch/schema";

/** A rule; rules are additive. One with `nonResourceURLs` is about paths, any other about resources. */
export type PolicyRule = {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  /** Absent or empty: every name. */
  resourceNames?: string[];
  nonResourceURLs?: string[];
};

export type Subject = {
  kind: string;
  name: string;
  namespace?: string;
  apiGroup?: string;
};

export type RoleRef = {
  kind: string;
  name: string;
  apiGroup: string;
};

/** Returns the rules of a Role or ClusterRole; stored objects may hold null for an empty list. */
export function rulesOf(role: JsonObject): PolicyRule[] {
  return (role["rules"] ?? []) as PolicyRule[];
}

/** Returns the rules of a Role or ClusterRole that is not validated yet. A rule without verbs grants nothing. */
export function statedRules(role: JsonObject): PolicyRule[] {
  return rulesOf(role).map((rule) => ({ ...rule, verbs: rule?.verbs ?? [] }));
}

/** Returns the subjects of a RoleBinding or ClusterRoleBinding. */
export function subjectsOf(binding: JsonObject): Subject[] {
  return (binding["subjects"] ?? []) as Subject[];
}

export function roleRefOf(binding: JsonObject): RoleRef {
  return binding["roleRef"] as RoleRef;
}

export function metadataOf(object: JsonObject): { readonly name: string; readonly namespace: string } {
  const metadata = object["metadata"] as JsonObject;
  return { name: text(metadata["name"]), namespace: text(metadata["namespace"]) };
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
