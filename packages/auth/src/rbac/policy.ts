// Roles and bindings as stored, read for evaluation. Source: access-control, "Authorization objects".
import type { JsonObject, JsonValue } from "@orch/schema";

/** Rules only add. One with `nonResourceURLs` speaks of paths, any other of resources. */
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

/** The rules of a Role or ClusterRole; stored objects may hold null for an empty list. */
export function rulesOf(role: JsonObject): PolicyRule[] {
  return (role["rules"] ?? []) as PolicyRule[];
}

/** The rules of a Role or ClusterRole that nobody has found valid yet: verbs that a rule lacks, it does not grant. */
export function statedRules(role: JsonObject): PolicyRule[] {
  return rulesOf(role).map((rule) => ({ ...rule, verbs: rule?.verbs ?? [] }));
}

/** The subjects of a RoleBinding or ClusterRoleBinding. */
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
