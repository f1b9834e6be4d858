// Role-based access control without an index: every decision iterates over all bindings of the cluster. The index is
// compared with it.
import type { UserInfo } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Attributes } from "../authorization/authorizer";
import type { PolicyRule, RoleRef, Subject } from "../rbac/policy";

export interface StoredObject {
  readonly kind: "ClusterRole" | "Role" | "ClusterRoleBinding" | "RoleBinding";
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonObject;
}

/**
 * Returns the reason for each binding that allows the request; empty: it is not allowed. Returns cluster-wide bindings
 * only, if there are any.
 */
export function naiveReasons(stored: Iterable<StoredObject>, asked: Attributes): string[] {
  const all = [...stored];
  const wide = reasonsOf(all, "ClusterRoleBinding", asked);
  return wide.length > 0 ? wide : reasonsOf(all, "RoleBinding", asked);
}

function reasonsOf(all: readonly StoredObject[], kind: StoredObject["kind"], asked: Attributes): string[] {
  const reasons: string[] = [];
  for (const binding of all) {
    if (binding.kind !== kind) continue;
    if (kind === "RoleBinding" && (asked.kind !== "resource" || asked.namespace !== binding.namespace)) continue;
    const ref = binding.object["roleRef"] as unknown as RoleRef;
    const roleNamespace = ref.kind === "Role" ? binding.namespace : "";
    const role = all.find(
      (each) => each.kind === ref.kind && each.namespace === roleNamespace && each.name === ref.name,
    );
    const rules = ((role?.object["rules"] ?? []) as unknown as PolicyRule[]).filter((rule) => allows(rule, asked));
    if (rules.length === 0) continue;
    for (const subject of (binding.object["subjects"] ?? []) as unknown as Subject[]) {
      if (!means(subject, binding.namespace, asked.user)) continue;
      const where = kind === "RoleBinding" ? `${binding.name}/${binding.namespace}` : binding.name;
      const home = subject.namespace || binding.namespace;
      const whom = subject.kind === "ServiceAccount" ? `${subject.name}/${home}` : subject.name;
      reasons.push(`RBAC: allowed by ${kind} "${where}" of ${ref.kind} "${ref.name}" to ${subject.kind} "${whom}"`);
    }
  }
  return reasons;
}

function means(subject: Subject, bindingNamespace: string, user: UserInfo): boolean {
  if (subject.kind === "User") return subject.name === user.name;
  if (subject.kind === "Group") return user.groups.includes(subject.name);
  const namespace = subject.namespace || bindingNamespace;
  return namespace !== "" && user.name === `system:serviceaccount:${namespace}:${subject.name}`;
}

function allows(rule: PolicyRule, asked: Attributes): boolean {
  if (!rule.verbs.some((verb) => verb === "*" || verb === asked.verb)) return false;
  if (asked.kind === "nonResource") {
    for (const url of rule.nonResourceURLs ?? []) {
      if (url === asked.path) return true;
      if (url.charAt(url.length - 1) === "*" && asked.path.indexOf(url.replace(/[*]+$/, "")) === 0) return true;
    }
    return false;
  }
  const what = asked.subresource === "" ? asked.resource : `${asked.resource}/${asked.subresource}`;
  const ofAny = asked.subresource === "" ? "*" : `*/${asked.subresource}`;
  if (!(rule.apiGroups ?? []).some((group) => group === "*" || group === asked.apiGroup)) return false;
  if (!(rule.resources ?? []).some((each) => each === "*" || each === what || each === ofAny)) return false;
  const names = rule.resourceNames ?? [];
  return names.length === 0 || names.indexOf(asked.name) >= 0;
}
