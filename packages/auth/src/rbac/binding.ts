// A binding as the evaluator keeps it: subjects, role, and the name for reasons.
import type { Decision } from "../authorization/authorizer";
import type { RoleRef, Subject } from "./policy";
import type { BoundRole } from "./role-index";

export interface Binding {
  /** "" for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly name: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}

export type Role = BoundRole<Binding>;

/** A binding together with one of its subjects. */
export class Grant {
  private decision: Decision | undefined;

  constructor(
    readonly binding: Binding,
    readonly subject: Subject,
  ) {}

  /** The decision when the role allows the request. */
  get allowed(): Decision {
    this.decision ??= { kind: "allow", reason: `RBAC: allowed by ${grantText(this)}` };
    return this.decision;
  }
}

export function grantText({ binding, subject }: Grant): string {
  const { name, namespace, roleRef } = binding;
  const bound =
    namespace === ""
      ? `ClusterRoleBinding ${JSON.stringify(name)}`
      : `RoleBinding ${JSON.stringify(`${name}/${namespace}`)}`;
  const whom =
    subject.kind === "ServiceAccount"
      ? JSON.stringify(`${subject.name}/${subject.namespace || namespace}`)
      : JSON.stringify(subject.name);
  return `${bound} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${subject.kind} ${whom}`;
}
