// A binding as the evaluator keeps it: whom it names, and what to say of it.
import type { Decision } from "../authorizer";
import type { RoleRef, Subject } from "./policy";
import type { BoundRole } from "./role-book";

export interface Binding {
  /** "" for one of the whole cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}

export type Role = BoundRole<Binding>;

/** What a binding gives to one of its subjects. */
export class Grant {
  private decision: Decision | undefined;

  constructor(
    readonly binding: Binding,
    readonly subject: Subject,
  ) {}

  /** What is decided when the role allows what is asked. */
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
