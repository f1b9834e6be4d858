// Validation of role bindings and cluster role bindings. Source: pkg/apis/rbac/validation/validation.go.

import {
  absentAs,
  all,
  each,
  fields,
  oneOf,
  pathSegment,
  type Rule,
  required,
  subdomain,
  validator,
} from "@orch/apis-model";
import type { Scope } from "@orch/machinery";
import type { rbacV1 } from "@orch/schema";

const ofThisGroup: Rule<string> = absentAs<string>("", (group, at, report) => {
  const { rbac } = report.vocabulary.groups;
  if (group !== rbac) report.notSupported(at, group, [rbac]);
});

export const validateRoleBinding = bindingValidator("Namespaced", ["Role", "ClusterRole"]);
export const validateClusterRoleBinding = bindingValidator("Cluster", ["ClusterRole"]);

function bindingValidator(scope: Scope, roleKinds: readonly string[]) {
  return validator(
    fields<rbacV1.RoleBinding>({
      roleRef: fields<rbacV1.RoleRef>({
        apiGroup: ofThisGroup,
        kind: absentAs<string>("", oneOf(...roleKinds)),
        name: required(pathSegment),
      }),
      subjects: each(subjectOf(scope)),
    }),
  );
}

/**
 * Builds the rule of a subject by its kind. @param scope of the binding: a role binding may omit the namespace of a
 * service account
 */
function subjectOf(scope: Scope): Rule<rbacV1.Subject> {
  const named = fields<rbacV1.Subject>({ name: required() });
  const byKind = new Map<string, Rule<rbacV1.Subject>>([
    [
      "ServiceAccount",
      fields<rbacV1.Subject>({
        name: required(subdomain),
        apiGroup: (group: string, at, report) => report.notSupported(at, group, [""]),
        ...(scope === "Cluster" ? { namespace: required() } : {}),
      }),
    ],
    ["User", all(named, fields<rbacV1.Subject>({ apiGroup: ofThisGroup }))],
    ["Group", all(named, fields<rbacV1.Subject>({ apiGroup: ofThisGroup }))],
  ]);
  const unknown = all(named, fields<rbacV1.Subject>({ kind: absentAs<string>("", oneOf(...byKind.keys())) }));
  return (subject, at, report) => (byKind.get(subject.kind) ?? unknown)(subject, at, report);
}
