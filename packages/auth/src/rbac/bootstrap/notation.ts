// Notation of the bootstrap policy tables: words separated by blanks are lists.
import type { PolicyRule, Subject } from "../policy";

export interface RoleRow {
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly PolicyRule[];
}

export interface ClusterRoleRow {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  /** Label that the role carries. */
  readonly aggregatedInto?: string;
  /** Label of the roles whose rules this role aggregates. */
  readonly aggregates?: string;
}

export interface ClusterRoleBindingRow {
  readonly name: string;
  readonly subjects: readonly SubjectRow[];
}

export interface RoleBindingRow {
  readonly namespace: string;
  readonly name: string;
  readonly role: string;
  readonly subjects: readonly SubjectRow[];
}

/** A subject without the API group, which follows from the kind. */
export type SubjectRow = Omit<Subject, "apiGroup">;

export const READ = "get list watch";
export const WRITE = "create delete deletecollection patch update";
export const READ_WRITE = "create delete deletecollection get list patch update watch";

export function on(groups: string | string[], resources: string, verbs: string, resourceNames?: string[]): PolicyRule {
  return {
    verbs: verbs.split(" "),
    apiGroups: typeof groups === "string" ? [groups] : groups,
    resources: resources.split(" "),
    ...(resourceNames && { resourceNames }),
  };
}

export function onPaths(nonResourceURLs: string, verbs: string): PolicyRule {
  return { verbs: verbs.split(" "), nonResourceURLs: nonResourceURLs.split(" ") };
}

export function user(name: string): SubjectRow {
  return { kind: "User", name };
}

export function group(name: string): SubjectRow {
  return { kind: "Group", name };
}

export function serviceAccount(namespace: string, name: string): SubjectRow {
  return { kind: "ServiceAccount", name, namespace };
}
