// Notation of the bootstrap policy tables: words separated by blanks are lists. Rules and roles that depend on the
// release or on a feature gate carry a condition.
import { existsIn } from "@orch/schema";
import type { PolicyRule, Subject } from "../policy";
import type { RoleGate } from "./role-gates";

/** Condition of rules and roles. Absent parts always hold. */
export interface Condition {
  /** First and last release. */
  readonly since?: string;
  readonly until?: string;
  /** Gates that must all be on. */
  readonly gates?: readonly RoleGate[];
}

/** A rule, or rules under a condition. */
export type RuleRow = PolicyRule | { readonly when: Condition; readonly rules: readonly RuleRow[] };

/** The release and the gates of a server. */
export interface ServedFeatures {
  readonly release: string;
  readonly isOn: (gate: RoleGate) => boolean;
}

export interface RoleRow {
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly RuleRow[];
}

export interface ClusterRoleRow {
  readonly name: string;
  readonly when?: Condition;
  readonly rules: readonly RuleRow[];
  /** Label that the role carries. */
  readonly aggregatedInto?: string;
  /** Label of the roles whose rules this role aggregates. */
  readonly aggregates?: string;
}

export interface ControllerRoleRow extends ClusterRoleRow {
  /** A controller that the controller manager runs under its own user, without a service account for each. */
  readonly usesManagerUser?: true | Condition;
}

export interface ClusterRoleBindingRow {
  readonly name: string;
  readonly when?: Condition;
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
export const READ_UPDATE = "get list patch update watch";
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

export const since = (release: string, ...rules: RuleRow[]): RuleRow => ({ when: { since: release }, rules });

export const until = (release: string, ...rules: RuleRow[]): RuleRow => ({ when: { until: release }, rules });

export const gated = (gate: RoleGate, ...rules: RuleRow[]): RuleRow => ({ when: { gates: [gate] }, rules });

/** Reports whether a server meets a condition. */
export const holds = (when: Condition | undefined, served: ServedFeatures): boolean =>
  when === undefined || (existsIn(when, served.release) && (when.gates ?? []).every(served.isOn));

/** Returns the rules of the rows whose conditions hold, in their order. */
export function rulesFor(rows: readonly RuleRow[], served: ServedFeatures): PolicyRule[] {
  return rows.flatMap((row) => {
    if (!("when" in row)) return [row];
    return holds(row.when, served) ? rulesFor(row.rules, served) : [];
  });
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
